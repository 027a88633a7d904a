#include "gpu/core/files.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#include "gpu/core/error.h"

namespace saccade {

namespace fs = std::filesystem;

namespace {

constexpr const char* mark = ".saccade-part-";
constexpr size_t enough_to_write = 64 << 10;

fs::path folder_of(const fs::path& path) {
    return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

void sync_to_disk(int fd, const fs::path& told) {
    // Some file systems have no fsync, and return EINVAL.
    if (::fsync(fd) != 0 && errno != EINVAL && errno != ENOTSUP) refuse_write(told, errno);
}

void sync_file(const fs::path& path, const fs::path& told) {
    const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (fd.get() < 0) refuse_write(told, errno);
    sync_to_disk(fd.get(), told);
}

int create(const fs::path& part, const fs::path& told, unsigned mode) {
    const int fd = ::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
    if (fd < 0) refuse_write(told, errno);
    return fd;
}

// Whether a temporary file belongs to another process that still runs.
bool has_writer(const std::string& name, size_t mark_at) {
    const std::string_view text = std::string_view(name).substr(mark_at + std::strlen(mark));
    pid_t writer = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), writer);
    return error == std::errc() && writer > 0 && writer != ::getpid() &&
           (::kill(writer, 0) == 0 || errno == EPERM);
}

}  // namespace

Descriptor::~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
}

int Descriptor::close() { return ::close(std::exchange(fd_, -1)); }

std::string reason(int error) { return std::generic_category().message(error); }

void refuse_write(const fs::path& path, int error) {
    const std::string text = "'" + path.string() + "' cannot be written: " + reason(error);
    switch (error) {
        case ENOSPC:
        case EDQUOT:
            throw TemporaryError(text + "; make room there, or write to another disk");
        case ENOMEM:
        case EMFILE:
        case ENFILE:
            throw TemporaryError(text + "; close other programs");
        case ENOENT:
        case ENOTDIR:
        case EACCES:
        case EPERM:
        case EROFS:
            throw Error(text + "; check the folder and its permissions");
        default:
            throw Error(text);
    }
}

void make_folder(const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (!fs::is_directory(folder))
        throw Error("'" + folder.string() + "' cannot be made a folder" +
                    (error ? ": " + error.message() : ""));
}

void put_in_place(const fs::path& from, const fs::path& to, Sync sync) {
    if (sync == Sync::yes) sync_file(from, to);
    if (::rename(from.c_str(), to.c_str()) != 0) refuse_write(to, errno);
    if (sync == Sync::yes) sync_file(folder_of(to), to);
}

FileBeside::FileBeside(fs::path path, const fs::path& folder)
    : path_(std::move(path)), beside_(folder / path_.filename()) {
    beside_ += mark + std::to_string(::getpid());
    // A rename would replace /dev/null by a regular file.
    struct stat status {};
    if (::stat(path_.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
        throw Error("'" + path_.string() + "' is there and is not a file; choose another name");
}

FileBeside::FileBeside(fs::path path) : FileBeside(path, path.parent_path()) {}

FileBeside::~FileBeside() {
    std::error_code ignored;
    fs::remove(beside_, ignored);
}

void FileBeside::finish(Sync sync) { put_in_place(beside_, path_, sync); }

void FileBeside::remove_leftovers(const fs::path& folder) {
    std::error_code ignored;
    std::vector<fs::path> leftovers;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        const std::string name = entry.path().filename().string();
        const size_t mark_at = name.find(mark);
        if (mark_at != name.npos && !has_writer(name, mark_at)) leftovers.push_back(entry.path());
    }
    for (const auto& file : leftovers) fs::remove(file, ignored);
}

NewFile::NewFile(const fs::path& path, unsigned mode)
    : file_(path), fd_(create(file_.beside(), path, mode)) {}

void NewFile::write(std::span<const std::byte> bytes) {
    flush();
    write_now(bytes);
}

void NewFile::write(std::string_view text) {
    waiting_ += text;
    if (waiting_.size() >= enough_to_write) flush();
}

void NewFile::flush() {
    write_now(std::as_bytes(std::span(waiting_)));
    waiting_.clear();
}

void NewFile::write_now(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(fd_.get(), bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) refuse_write(file_.path(), written < 0 ? errno : ENOSPC);
        bytes = bytes.subspan(static_cast<size_t>(written));
    }
}

void NewFile::finish(Sync sync) {
    flush();
    if (fd_.close() != 0) refuse_write(file_.path(), errno);
    file_.finish(sync);
}

}  // namespace saccade
