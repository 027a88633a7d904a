#include "models/files/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <functional>

#include "gpu/core/error.h"
#include "gpu/core/files.h"

namespace saccade {

namespace {

// Touching a page beyond the end of a truncated file raises SIGBUS. The signal handler maps a page
// of zeros there and sets `cut`. A handler cannot take locks, so entries of this list are never
// removed: unmapping a file leaves an entry that is reused.
struct Watch {
    std::atomic<uintptr_t> begin{0}, end{0};
    std::atomic<bool> used{false}, cut{false};
    Watch* next = nullptr;
};
std::atomic<Watch*> watches{nullptr};

void on_bus_error(int signal, siginfo_t* info, void*) {
    const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
    for (Watch* watch = watches; watch; watch = watch->next) {
        if (address < watch->begin || address >= watch->end) continue;
        const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
        void* const at = reinterpret_cast<void*>(address / page * page);
        if (::mmap(at, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == at) {
            watch->cut = true;
            return;
        }
    }
    ::signal(signal, SIG_DFL);  // not one of our mappings: the next SIGBUS ends the program
}

void watch_over(const void* address, size_t size) {
    static const bool handled = [] {
        struct sigaction action {};
        action.sa_sigaction = on_bus_error;
        action.sa_flags = SA_SIGINFO;
        return ::sigaction(SIGBUS, &action, nullptr) == 0;
    }();
    if (!handled) throw Error("the handler of SIGBUS cannot be set");
    Watch* watch = watches;
    while (watch && watch->used.exchange(true)) watch = watch->next;
    if (!watch) {
        watch = new Watch;
        watch->used = true;
        watch->next = watches;
        while (!watches.compare_exchange_weak(watch->next, watch)) {
        }
    }
    watch->cut = false;
    watch->end = reinterpret_cast<uintptr_t>(address) + size;
    watch->begin = reinterpret_cast<uintptr_t>(address);
}

Watch& watch_of(const void* address) {
    Watch* watch = watches;
    while (watch->begin != reinterpret_cast<uintptr_t>(address)) watch = watch->next;
    return *watch;
}

}  // namespace

void MappedFile::Unmap::operator()(const std::byte* address) const {
    Watch& watch = watch_of(address);
    watch.begin = watch.end = 0;
    watch.used = false;
    ::munmap(const_cast<std::byte*>(address), size);
}

MappedFile::MappedFile(const std::filesystem::path& path) : path_(path) {
    std::string file = path.string();
    // Non-blocking: otherwise opening a named pipe would wait for a writer.
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
    watch_over(address, size);
    map_ = {static_cast<const std::byte*>(address), Unmap{size}};
}

void MappedFile::release(std::span<const std::byte> bytes) const {
    const std::byte* map = map_.get();
    std::error_code ignored;
    if (watch_of(map).cut || std::filesystem::file_size(path_, ignored) < this->bytes().size())
        throw Error(path_.string() + ": became shorter while it was read; fetch it again");
    if (bytes.empty() || std::less<>()(bytes.data(), map) ||
        std::less<>()(map + map_.get_deleter().size, bytes.data() + bytes.size())) {
        return;
    }
    // Whole pages, including those shared with neighbours: a page of a file mapping is read again
    // when it is touched.
    auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
    auto offset = static_cast<size_t>(bytes.data() - map);
    auto first = offset / page * page;
    ::madvise(const_cast<std::byte*>(map) + first, offset + bytes.size() - first, MADV_DONTNEED);
}

}  // namespace saccade
