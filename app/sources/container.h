#pragma once

#include <filesystem>

namespace saccade {

// Whether a video file ends before its container does, because a download or a recording was broken
// off. FFmpeg does not tell. Known of MP4 and MOV, Matroska and WebM, and AVI.
bool is_cut_short(const std::filesystem::path& path);

}  // namespace saccade
