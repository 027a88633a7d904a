#pragma once

#include <filesystem>

namespace saccade {

// Whether a file's ending is that of a picture, or of a video, in small letters or capitals.
bool is_picture_name(const std::filesystem::path& path);
bool is_video_name(const std::filesystem::path& path);

}  // namespace saccade
