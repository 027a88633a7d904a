#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>

#include "models/files/mapped_file.h"

namespace saccade {

// A zip archive whose files are stored as they are, not compressed, which is how PyTorch writes
// them. Opening checks the whole directory: every file lies inside the archive, and no two share a
// byte or a name.
class ZipArchive {
public:
    explicit ZipArchive(const std::filesystem::path& path);

    const std::filesystem::path& path() const { return file_.path(); }
    uint64_t bytes() const { return file_.bytes().size(); }
    // What is stored, by name.
    const std::map<std::string, std::span<const std::byte>, std::less<>>& files() const {
        return files_;
    }
    void release(std::span<const std::byte> bytes) const { file_.release(bytes); }

private:
    MappedFile file_;
    std::map<std::string, std::span<const std::byte>, std::less<>> files_;
};

}  // namespace saccade
