#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/video/video_clock.h"

namespace saccade {

struct JoinedVideo {
    std::vector<std::filesystem::path> pieces;  // one at least, as VideoWriter writes them
    VideoClock clock;
    int64_t last_ticks;  // how long the last frame is shown
    // The video that the pictures come from, whose sound they get.
    std::optional<std::filesystem::path> sound = std::nullopt;
    bool rotated = false;  // its pictures lie on their side
};

// Puts pieces of a video together, without encoding anything anew. It begins with the first piece's
// first frame. Returns what went wrong with the sound, which is left out then; empty where nothing
// did. The file appears under its name when it is whole; while it is written, it lies in `work`.
std::string join_video(const JoinedVideo& video, const std::filesystem::path& path,
                       const std::filesystem::path& work);

}  // namespace saccade
