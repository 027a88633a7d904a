#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace saccade {

// An open file descriptor.
class Descriptor {
public:
    explicit Descriptor(int fd) : fd_(fd) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor();

    int get() const { return fd_; }
    int close();  // 0, or -1 with errno, as the system's own

private:
    int fd_;
};

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

// A file written under another name, which takes its own when it is whole and goes away when not.
class NewFile {
public:
    explicit NewFile(const std::filesystem::path& path);
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;
    ~NewFile();

    void write(std::span<const std::byte> bytes);
    void finish();

private:
    [[noreturn]] void fail() const;

    std::filesystem::path path_;
    std::string part_;
    Descriptor fd_;
};

// Why the last call to the system failed, by its errno.
std::string reason(int error);

}  // namespace saccade
