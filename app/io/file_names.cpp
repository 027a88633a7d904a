#include "app/io/file_names.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "app/io/text.h"

namespace saccade {

namespace {

bool has_ending(const std::filesystem::path& path, std::span<const std::string_view> endings) {
    return std::ranges::find(endings, in_lower_case(path.extension().string())) != endings.end();
}

}  // namespace

bool is_picture_name(const std::filesystem::path& path) {
    constexpr std::array<std::string_view, 15> endings{".png",  ".jpg", ".jpeg", ".jpe", ".bmp",
                                                       ".webp", ".tif", ".tiff", ".ppm", ".pgm",
                                                       ".pbm",  ".pnm", ".jp2",  ".exr", ".hdr"};
    return has_ending(path, endings);
}

bool is_video_name(const std::filesystem::path& path) {
    constexpr std::array<std::string_view, 16> endings{
        ".mp4", ".m4v", ".mov",  ".mkv", ".webm", ".avi", ".mpg", ".mpeg",
        ".ts",  ".mts", ".m2ts", ".wmv", ".flv",  ".ogv", ".3gp", ".mjpeg"};
    return has_ending(path, endings);
}

}  // namespace saccade
