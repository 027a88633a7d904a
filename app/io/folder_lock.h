#pragma once

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>

#include "gpu/core/files.h"

namespace saccade {

// Keeps a folder for one run. The file `lock` in it says who has it: host, process and since when.
// The system lets go of it when the process ends, however that happens. Some network disks do not
// tell other machines; so the owner counts on in the file, and a machine that finds another's name
// there waits for the next count before it takes the folder.
class FolderLock {
public:
    // An Error if somebody has it.
    explicit FolderLock(const std::filesystem::path& folder,
                        std::chrono::milliseconds beat = std::chrono::seconds(5));
    ~FolderLock();
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;

    static constexpr const char* name = "lock";

private:
    // Whether somebody else writes there.
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
