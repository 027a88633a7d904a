#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

// Atomic writes: a reader, or a later run, finds the old file or the complete new one, never a
// part. A new file is written under a temporary name beside the old one, and renamed.

namespace saccade {

// An open file descriptor.
class Descriptor {
public:
    explicit Descriptor(int fd) : fd_(fd) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor();

    int get() const { return fd_; }
    int close();  // 0, or -1 with errno, as close(2)

private:
    int fd_;
};

// The text of an errno.
std::string reason(int error);

// Throws an Error that says why a file cannot be written, by errno, and what to do about it: a
// TemporaryError if the disk is full or the machine is short of something else.
[[noreturn]] void refuse_write(const std::filesystem::path& path, int error);

// Creates a folder and its parents, or throws an Error.
void make_folder(const std::filesystem::path& folder);

// Whether a file has to survive a loss of power: fsync of the file before the rename, and of its
// folder after it. That takes milliseconds on a disk.
enum class Sync { no, yes };

// Renames a complete, closed file in one step.
void put_in_place(const std::filesystem::path& from, const std::filesystem::path& to, Sync sync);

// A new file for code that opens files by name: it is written as beside(), and finish() renames it.
// Without finish() nothing is left behind.
class FileBeside {
public:
    // The temporary file is in the same folder, or in another folder of the same file system.
    explicit FileBeside(std::filesystem::path path);
    FileBeside(std::filesystem::path path, const std::filesystem::path& folder);
    ~FileBeside();
    FileBeside(const FileBeside&) = delete;
    FileBeside& operator=(const FileBeside&) = delete;

    // The temporary name, which no other process uses. The file is closed before finish().
    const std::filesystem::path& beside() const { return beside_; }
    const std::filesystem::path& path() const { return path_; }
    void finish(Sync sync = Sync::no);

    // Removes temporary files of processes that no longer run.
    static void remove_leftovers(const std::filesystem::path& folder);

private:
    std::filesystem::path path_, beside_;
};

// A new file that is written through this class. Every failure is an Error with its reason.
class NewFile {
public:
    // `mode` is less what the umask forbids, as of open(2): 0600 for a file with passwords.
    explicit NewFile(const std::filesystem::path& path, unsigned mode = 0666);
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;

    void write(std::span<const std::byte> bytes);
    void write(std::string_view text);
    void finish(Sync sync = Sync::no);

private:
    void flush();
    void write_now(std::span<const std::byte> bytes);

    FileBeside file_;
    Descriptor fd_;
    std::string waiting_;  // buffered text
};

}  // namespace saccade
