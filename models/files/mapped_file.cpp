#include "models/files/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <functional>

#include "gpu/core/error.h"
#include "gpu/core/files.h"

namespace saccade {

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

}  // namespace saccade
