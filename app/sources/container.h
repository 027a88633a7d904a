#pragma once

#include <filesystem>

namespace saccade {

// Whether a video file is truncated, because a download or a recording was interrupted, by the
// lengths in its container; FFmpeg does not report it. For MP4 and MOV, Matroska and WebM, and AVI.
bool is_cut_short(const std::filesystem::path& path);

}  // namespace saccade
