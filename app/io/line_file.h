#pragma once

#include <filesystem>
#include <string>

namespace saccade {

// A file of lines that is whole at any moment: each line is written at once with its end, so that a
// run that is killed leaves whole lines.
class LineFile {
public:
    // Begins the file anew, or goes on behind what it has.
    explicit LineFile(std::filesystem::path path, bool append = false);
    ~LineFile();
    LineFile(const LineFile&) = delete;
    LineFile& operator=(const LineFile&) = delete;

    // An Error where it cannot be written; no part of the line is left in the file then.
    void add(std::string line);
    // Returns when the lines would survive a loss of power.
    void sync();
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
    int file_ = -1;
};

}  // namespace saccade
