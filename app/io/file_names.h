#pragma once

#include <filesystem>

namespace saccade {

// Whether a file has the extension of a picture, or of a video, in upper or lower case.
bool is_picture_name(const std::filesystem::path& path);
bool is_video_name(const std::filesystem::path& path);

}  // namespace saccade
