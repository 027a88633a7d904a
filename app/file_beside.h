#pragma once

#include <filesystem>

namespace saccade {

// Makes a folder for what is to be written, and those that it lies in; an Error where that cannot
// be.
void make_folder(const std::filesystem::path& folder);

// A file on its way: it is written beside its place, under another name, and takes its own name
// when it is whole. One that never is leaves nothing behind.
class FileBeside {
public:
    // In the same folder, or in another one of the same disk.
    explicit FileBeside(std::filesystem::path path);
    FileBeside(std::filesystem::path path, const std::filesystem::path& folder);
    ~FileBeside();
    FileBeside(const FileBeside&) = delete;
    FileBeside& operator=(const FileBeside&) = delete;

    // Where to write; to be closed before finish().
    const std::filesystem::path& beside() const { return beside_; }
    const std::filesystem::path& path() const { return path_; }
    void finish();

    // What killed programs have left in a folder.
    static void remove_leftovers(const std::filesystem::path& folder);

private:
    std::filesystem::path path_, beside_;
};

}  // namespace saccade
