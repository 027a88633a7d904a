#pragma once

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>

#include "gpu/core/files.h"

namespace saccade {

// Locks a folder for one run. The file `lock` in it names the owner: host, process and start time.
// The operating system releases the lock when the process ends, however it ends. Some network file
// systems do not share locks between machines; so the owner also writes a heartbeat into the file,
// and a process on another machine waits for the next heartbeat before it takes the folder.
class FolderLock {
public:
    // A TemporaryError if another process has it.
    explicit FolderLock(const std::filesystem::path& folder,
                        std::chrono::milliseconds beat = std::chrono::seconds(5));
    ~FolderLock();
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;

    static constexpr const char* name = "lock";

private:
    // Whether another machine's heartbeat changes the file.
    bool changes(const std::string& seen) const;
    std::string content() const;
    void write_content();
    void keep(std::stop_token stop);

    const std::filesystem::path folder_;
    const std::chrono::milliseconds beat_;
    Descriptor fd_;
    std::string owner_;
    uint64_t count_ = 0;
    std::mutex mutex_;
    std::condition_variable_any wake_;
    std::jthread keeper_;
};

}  // namespace saccade
