#include "models/files.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <functional>
#include <system_error>
#include <utility>

#include "gpu/error.h"

namespace saccade {
namespace {

int open_part(const std::filesystem::path& path, const std::string& part) {
    // A rename would put a plain file in the place of /dev/null.
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
        throw Error(path.string() + ": is there and is not a file; choose another name");
    }
    int fd = ::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) {
        throw Error(path.string() + ": cannot be written (" + reason(errno) +
                    "); check the folder and its permissions");
    }
    return fd;
}

}  // namespace

std::string reason(int error) { return std::generic_category().message(error); }

Descriptor::~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
}

int Descriptor::close() { return ::close(std::exchange(fd_, -1)); }

void MappedFile::Unmap::operator()(const std::byte* address) const {
    ::munmap(const_cast<std::byte*>(address), size);
}

MappedFile::MappedFile(const std::filesystem::path& path) : path_(path) {
    std::string file = path.string();
    // Non-blocking, or the open of a named pipe would wait for a writer.
    Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat status {};
    if (fd.get() < 0 || ::fstat(fd.get(), &status) != 0) {
        throw Error(file + ": cannot be opened (" + reason(errno) + ")");
    }
    if (!S_ISREG(status.st_mode)) throw Error(file + ": is not a file");
    auto size = static_cast<uint64_t>(status.st_size);
    if (size == 0) throw Error(file + ": is empty; fetch it again");
    void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
    if (address == MAP_FAILED) {
        throw Error(file + ": cannot be mapped into memory (" + reason(errno) + ")");
    }
    map_ = {static_cast<const std::byte*>(address), Unmap{size}};
}

void MappedFile::release(std::span<const std::byte> bytes) const {
    const std::byte* map = map_.get();
    if (bytes.empty() || std::less<>()(bytes.data(), map) ||
        std::less<>()(map + map_.get_deleter().size, bytes.data() + bytes.size())) {
        return;
    }
    // Whole pages, those shared with a neighbour too: nothing is lost by it, for a page of a file
    // mapping comes back from the file when it is next touched.
    auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
    auto offset = static_cast<size_t>(bytes.data() - map);
    auto first = offset / page * page;
    ::madvise(const_cast<std::byte*>(map) + first, offset + bytes.size() - first, MADV_DONTNEED);
}

NewFile::NewFile(const std::filesystem::path& path)
    : path_(path),
      part_(path.string() + "." + std::to_string(::getpid()) + ".part"),
      fd_(open_part(path, part_)) {}

NewFile::~NewFile() {
    if (!part_.empty()) ::unlink(part_.c_str());
}

void NewFile::write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        ssize_t written = ::write(fd_.get(), bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) fail();
        bytes = bytes.subspan(static_cast<size_t>(written));
    }
}

void NewFile::finish() {
    if (fd_.close() != 0 || ::rename(part_.c_str(), path_.c_str()) != 0) fail();
    part_.clear();
}

void NewFile::fail() const {
    throw Error(path_.string() + ": cannot be written (" + reason(errno) +
                "); check the free space on its disk");
}

}  // namespace saccade
