#include "app/io/folder_lock.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <fstream>
#include <sstream>
#include <utility>

#include "gpu/core/error.h"

namespace saccade {

namespace {

// The start time of a process, by the kernel's clock; empty if there is no such process. It tells
// two processes with the same pid apart.
std::string start_of(pid_t process) {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string text;
    std::getline(file, text);
    std::istringstream words(text.substr(std::min(text.size(), text.rfind(')') + 1)));
    std::string word;
    for (int i = 0; i < 20; ++i)
        words >> word;  // field 22 of /proc/PID/stat; the first two are skipped above
    return words ? word : "";
}

// The content of a lock: host, pid, the process's start time by the kernel, and a readable one.
struct Owner {
    std::string host, start, since;
    pid_t process = 0;

    static Owner here() {
        char host[256] = "";
        ::gethostname(host, sizeof host - 1);
        char since[32] = "";
        const std::time_t now = std::time(nullptr);
        std::tm utc{};
        ::gmtime_r(&now, &utc);
        std::strftime(since, sizeof since, "%Y-%m-%dT%H:%M:%SZ", &utc);
        return {host, start_of(::getpid()), since, ::getpid()};
    }
    static Owner in(const std::string& text) {
        Owner owner;
        std::istringstream(text) >> owner.host >> owner.process >> owner.start >> owner.since;
        return owner;
    }
    std::string text() const {
        return host + " " + std::to_string(process) + " " + start + " " + since;
    }
    bool lives() const { return process > 0 && start_of(process) == start; }
};

}  // namespace

FolderLock::FolderLock(const std::filesystem::path& folder, std::chrono::milliseconds beat)
    : folder_(folder),
      beat_(beat),
      fd_(::open((folder / name).c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666)) {
    if (fd_.get() < 0) refuse_write(folder / name, errno);
    const bool locked = ::flock(fd_.get(), LOCK_EX | LOCK_NB) == 0;
    const bool refused = !locked && errno == EWOULDBLOCK;  // else the file system has no locks
    const std::string before = content();
    const Owner other = Owner::in(before), own = Owner::here();
    const bool here = other.host == own.host;
    auto refuse = [&] {
        throw TemporaryError("'" + folder_.parent_path().string() +
                             "' is in use by another run: process " +
                             std::to_string(other.process) + " on '" + other.host + "', since " +
                             other.since + "; wait for it, or name another folder with -o");
    };
    if (refused || (!locked && here && other.lives()) ||
        (!before.empty() && !here && changes(before)))
        refuse();
    owner_ = own.text();
    write_content();
    // On such a file system, two processes may have found the same dead owner and both written.
    if (!locked || (!before.empty() && !here)) {
        std::this_thread::sleep_for(beat_ / 5);
        if (!content().starts_with(owner_)) refuse();
    }
    keeper_ = std::jthread([this](std::stop_token stop) { keep(stop); });
}

FolderLock::~FolderLock() {
    keeper_.request_stop();
    keeper_.join();
    if (::ftruncate(fd_.get(), 0) != 0) return;  // then the file does not name its owner
}

bool FolderLock::changes(const std::string& seen) const {
    for (int i = 0; i < 15; ++i) {
        std::this_thread::sleep_for(beat_ / 5);
        if (content() != seen) return true;
    }
    return false;
}

std::string FolderLock::content() const {
    std::string text(1024, '\0');
    const ssize_t bytes = ::pread(fd_.get(), text.data(), text.size(), 0);
    text.resize(bytes > 0 ? static_cast<size_t>(bytes) : 0);
    return text;
}

void FolderLock::write_content() {
    const std::string text = owner_ + " " + std::to_string(count_++) + "\n";
    const auto bytes = static_cast<ssize_t>(text.size());
    if (::pwrite(fd_.get(), text.data(), text.size(), 0) != bytes ||
        ::ftruncate(fd_.get(), bytes) != 0)
        refuse_write(folder_ / name, errno);
}

void FolderLock::keep(std::stop_token stop) {
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, stop, beat_, [&] { return stop.stop_requested(); })) {
        try {
            write_content();
        } catch (const Error&) {
            // A full disk, which the run itself reports.
        }
    }
}

}  // namespace saccade
