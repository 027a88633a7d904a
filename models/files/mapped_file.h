#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace saccade {

// A file that is there and not empty, mapped read-only.
class MappedFile {
public:
    explicit MappedFile(const std::filesystem::path& path);

    const std::filesystem::path& path() const { return path_; }
    std::span<const std::byte> bytes() const { return {map_.get(), map_.get_deleter().size}; }

    // Says that these bytes have been read: the memory that holds them is given back. Bytes of
    // another file are none of its business. Reading them again is allowed, and fetches them from
    // the file again.
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
