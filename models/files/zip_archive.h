#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>

#include "models/files/mapped_file.h"

namespace saccade {

// A zip archive of uncompressed files, as PyTorch writes it. Opening validates the whole directory:
// every file lies inside the archive, and no two share a byte or a name.
class ZipArchive {
public:
    explicit ZipArchive(const std::filesystem::path& path);

    const std::filesystem::path& path() const { return file_.path(); }
    uint64_t bytes() const { return file_.bytes().size(); }
    // Contents by file name.
    const std::map<std::string, std::span<const std::byte>, std::less<>>& files() const {
        return files_;
    }
    void release(std::span<const std::byte> bytes) const { file_.release(bytes); }

private:
    MappedFile file_;
    std::map<std::string, std::span<const std::byte>, std::less<>> files_;
};

}  // namespace saccade
