#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace saccade {

// A non-empty file, mapped read-only.
class MappedFile {
public:
    explicit MappedFile(const std::filesystem::path& path);

    const std::filesystem::path& path() const { return path_; }
    std::span<const std::byte> bytes() const { return {map_.get(), map_.get_deleter().size}; }

    // Releases the memory of these bytes after they have been read; bytes of other files are
    // ignored. An Error if the file was truncated after it was opened: the missing bytes were read
    // as zeros.
    void release(std::span<const std::byte> bytes) const;

private:
    struct Unmap {
        size_t size;
        void operator()(const std::byte* address) const;
    };

    std::filesystem::path path_;
    std::unique_ptr<const std::byte, Unmap> map_;
};

}  // namespace saccade
