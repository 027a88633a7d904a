#include "app/sources/dropped.h"

#include "app/sources/files.h"
#include "app/sources/pictures.h"
#include "app/sources/video_file.h"

namespace saccade {

std::vector<std::string> sources_in(std::span<const std::string> dropped) {
    namespace fs = std::filesystem;
    std::vector<std::string> sources, pictures;
    for (const std::string& path : dropped) {
        std::error_code error;
        if (!fs::is_directory(path, error)) {
            (is_picture_name(path) ? pictures : sources).push_back(path);
            continue;
        }
        const std::vector<fs::path> videos = find_files(path, is_video_name);
        // A folder without either is opened too, because the error then names it.
        if (videos.empty() || !find_files(path, is_picture_name).empty()) sources.push_back(path);
        for (const fs::path& video : videos) sources.push_back(video.string());
    }
    if (!pictures.empty()) sources.insert(sources.begin(), list_of_pictures(pictures));
    return sources;
}

}  // namespace saccade
