#pragma once

#include <filesystem>
#include <optional>

namespace saccade {

// What a video file's container says, where OpenCV does not pass it on or gets it wrong. Known of
// MP4 and MOV, Matroska and WebM, and AVI.
struct Container {
    // The file ends before its container does: a download or a recording was broken off.
    bool cut_short = false;
    // How long pictures are to be shown; not known of Matroska, which counts sound, too.
    std::optional<double> seconds;
    // How often to turn pictures clockwise by a right angle so that they stand upright.
    int quarter_turns = 0;
};
Container read_container(const std::filesystem::path& path);

}  // namespace saccade
