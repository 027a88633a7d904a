#include "app/sources/dropped.h"

#include "app/sources/files.h"
#include "app/sources/pictures.h"
#include "app/sources/video_file.h"

namespace saccade {

std::vector<SourceName> sources_in(std::span<const std::string> dropped) {
    namespace fs = std::filesystem;
    std::vector<SourceName> sources;
    std::vector<std::string> pictures;
    for (const std::string& path : dropped) {
        std::error_code error;
        if (!fs::is_directory(path, error)) {
            if (is_picture_name(path))
                pictures.push_back(path);
            else
                sources.emplace_back(path);
            continue;
        }
        const std::vector<fs::path> videos = find_files(path, is_video_name);
        // A folder without either is opened too, because the error then names it.
        if (videos.empty() || !find_files(path, is_picture_name).empty())
            sources.emplace_back(path);
        for (const fs::path& video : videos) sources.emplace_back(video);
    }
    if (!pictures.empty()) sources.insert(sources.begin(), list_of_pictures(pictures));
    return sources;
}

}  // namespace saccade
