#include "app/sources/pictures.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <sstream>

#include "app/frame/slots.h"
#include "app/io/picture_file.h"
#include "app/io/text.h"
#include "app/sources/files.h"
#include "gpu/core/error.h"

namespace saccade {

namespace fs = std::filesystem;

std::string list_of_pictures(std::span<const std::string> files) {
    std::string text;
    for (const std::string& file : files) text += (text.empty() ? "" : "\n") + file;
    return text;
}

bool is_list_of_pictures(const std::string& text) {
    std::error_code error;
    return text.find('\n') != text.npos && !fs::exists(text, error);
}

std::string title_of_source(const SourceName& name) {
    const std::string& text = name.unmasked();
    if (!is_list_of_pictures(text)) return name.text();
    const std::string first = fs::path(text.substr(0, text.find('\n'))).filename().string();
    return first + " and " + std::to_string(std::ranges::count(text, '\n')) + " more";
}

std::vector<fs::path> find_pictures(const std::string& text) {
    std::error_code error;
    if (fs::is_regular_file(text, error)) return {text};
    if (is_list_of_pictures(text)) {
        std::istringstream lines(text);
        std::vector<fs::path> files;
        for (std::string line; std::getline(lines, line);) files.emplace_back(line);
        return files;
    }
    const bool folder = fs::is_directory(text, error);
    std::vector<fs::path> found = find_files(text, is_picture_name);
    if (found.empty())
        throw Error(folder
                        ? "there is no picture in the folder '" + text + "': name another"
                        : "no picture matches '" + without_secrets(text) + "': check the pattern");
    return found;
}

Pictures::Pictures(const std::string& text, const SourceOptions& options)
    : Pictures(text, find_pictures(text), options) {}

Pictures::Pictures(const SourceName& name, std::vector<fs::path> files,
                   const SourceOptions& options)
    : files_(std::move(files)) {
    traits_.name = name;
    traits_.rate = options.rate > 0 ? options.rate : 1;
    traits_.frames = files_.size();
}

std::optional<FrameInfo> Pictures::next(const GiveSlot& give) {
    while (next_ < files_.size()) {
        const uint64_t index = next_++;
        const fs::path& path = files_[index];
        std::optional<PictureFile> file;
        try {
            file.emplace(path);
        } catch (const Error& error) {
            if (files_.size() == 1) throw;
            spdlog::warn("{}; left out", error.what());
            continue;
        }
        FrameInfo info;
        info.source = path;
        info.index = index;
        info.time = static_cast<double>(index) / traits_.rate;
        info.captured = std::chrono::steady_clock::now();
        info.size = fill(give, file->view());
        return info;
    }
    return std::nullopt;
}

}  // namespace saccade
