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
    int64_t last_ticks;  // duration of the last frame
    // The source video, whose audio streams are copied.
    std::optional<std::filesystem::path> sound = std::nullopt;
    bool rotated = false;  // by 90 or 270 degrees: the sample aspect ratio is swapped
};

// Concatenates pieces of a video without encoding again; time 0 is the first piece's first frame.
// Returns an error of the sound, which is then left out; empty if there was none. The file is
// written in `work`, and moved to its name when it is complete.
std::string join_video(const JoinedVideo& video, const std::filesystem::path& path,
                       const std::filesystem::path& work);

}  // namespace saccade
