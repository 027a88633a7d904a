#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "app/io/folder_lock.h"

namespace saccade {

// What a clip shows.
struct EventClip {
    std::string time;    // local, of the first event: "2026-11-19 03:55:12"
    std::string source;  // its name
    std::vector<std::string> happened;
    double seconds = 0;
};

// A folder of clips: NAME.mp4, a picture NAME.jpg, and NAME.json, which is written last, so that a
// clip with it is whole. What a crash has left without it is removed. All files together take no
// more than `most_bytes`: the oldest clips go first. index.html shows them, the newest first.
class ClipStore {
public:
    // An Error if the folder cannot be made or another process keeps clips in it.
    ClipStore(std::filesystem::path folder, uint64_t most_bytes);

    // The path of a new clip, without its ending. Names begin with the time, so that they are in
    // its order.
    std::filesystem::path new_name(const std::string& time, const std::string& source);
    // The video and the picture are there: the clip is whole now.
    void add(const std::filesystem::path& name, const EventClip& clip);
    // Removes the oldest clips until all files fit. Called while a clip is being written, too.
    void make_room();

    std::vector<std::string> names() const;  // of whole clips, the oldest first

private:
    struct Kept {
        std::string name;
        EventClip clip;
    };

    void read_all();
    uint64_t bytes() const;
    void remove(const std::string& name) const;
    void trim();
    void write_index() const;

    const std::filesystem::path folder_;
    const uint64_t most_bytes_;
    std::unique_ptr<FolderLock> lock_;
    mutable std::mutex mutex_;
    std::vector<Kept> clips_;         // the oldest first
    std::vector<std::string> begun_;  // names that were given away, and are not whole yet
};

}  // namespace saccade
