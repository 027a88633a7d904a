#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

// Files that are written. A reader, or a later run, finds the old file or the whole new one under
// its name, never a half: what is new is written beside, under another name, and renamed.

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

// Why the last call to the system failed, by its errno.
std::string reason(int error);

// Throws the Error that says why a file cannot be written, by errno, and what to do about it.
[[noreturn]] void refuse_write(const std::filesystem::path& path, int error);

// Makes a folder for what is to be written, and those that it lies in, or throws an Error.
void make_folder(const std::filesystem::path& folder);

// Whether a file has to survive a loss of power. If so, its bytes are on the disk before it takes
// its name, and its name is there before the program goes on, which takes milliseconds on a disk.
enum class Sync { no, yes };

// Gives a file that is whole and closed its name, in one step.
void put_in_place(const std::filesystem::path& from, const std::filesystem::path& to, Sync sync);

// A file on its way, for those who open it by its name: it is written as beside() and takes its own
// name with finish(). Without that it leaves nothing behind.
class FileBeside {
public:
    // In the same folder, or in another one of the same disk.
    explicit FileBeside(std::filesystem::path path);
    FileBeside(std::filesystem::path path, const std::filesystem::path& folder);
    ~FileBeside();
    FileBeside(const FileBeside&) = delete;
    FileBeside& operator=(const FileBeside&) = delete;

    // Where to write; to be closed before finish(). No other process writes there.
    const std::filesystem::path& beside() const { return beside_; }
    const std::filesystem::path& path() const { return path_; }
    void finish(Sync sync = Sync::no);

    // What killed programs have left in a folder; others may still be writing theirs.
    static void remove_leftovers(const std::filesystem::path& folder);

private:
    std::filesystem::path path_, beside_;
};

// The same for those who have bytes or text to write: every failure is an Error with its reason.
class NewFile {
public:
    explicit NewFile(const std::filesystem::path& path);
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
    std::string waiting_;  // short pieces of text are written together
};

}  // namespace saccade
