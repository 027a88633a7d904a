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

    // Says that these bytes have been read: the memory that holds them is given back, for now. Bytes
    // of another file are none of its business. An Error if the file has become shorter since it
    // was opened: what it has lost was read as zeros.
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
