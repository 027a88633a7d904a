#include "app/live/clips/clip_store.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "app/page/page.h"
#include "gpu/core/error.h"
#include "gpu/core/files.h"

namespace saccade {

namespace {

namespace fs = std::filesystem;
using Ordered = nlohmann::ordered_json;

constexpr size_t most_shown = 500;  // on the page
constexpr const char* endings[] = {".json", ".mp4", ".jpg"};

std::string part_of_name(const std::string& text) {
    std::string name;
    for (const char c : text)
        name += std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' ? c : '-';
    return name.substr(0, 60);
}

Ordered json_of(const EventClip& clip) {
    return {{"time", clip.time},
            {"source", clip.source},
            {"seconds", clip.seconds},
            {"happened", clip.happened}};
}

std::string figure_of(const std::string& name, const EventClip& clip) {
    std::string happened;
    for (const std::string& one : clip.happened) happened += "<li>" + escaped(one) + "</li>";
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%.0f s", clip.seconds);
    return "<figure><a href=\"" + name + ".mp4\"><img loading=\"lazy\" src=\"" + name +
           ".jpg\" alt=\"" + escaped(clip.source) + "\"></a><figcaption><time>" +
           escaped(clip.time) + "</time> <b>" + escaped(clip.source) + "</b> " + seconds + "<ul>" +
           happened + "</ul></figcaption></figure>\n";
}

}  // namespace

ClipStore::ClipStore(fs::path folder, uint64_t most_bytes)
    : folder_(std::move(folder)), most_bytes_(most_bytes) {
    make_folder(folder_);
    lock_ = std::make_unique<FolderLock>(folder_);
    FileBeside::remove_leftovers(folder_);
    read_all();
    make_room();
}

void ClipStore::read_all() {
    std::set<std::string> all;
    for (const fs::directory_entry& file : fs::directory_iterator(folder_))
        for (const char* ending : endings)
            if (file.path().extension() == ending) all.insert(file.path().stem().string());
    for (const std::string& name : all) {
        std::ifstream stream(folder_ / (name + ".json"));
        const Ordered json = Ordered::parse(stream, nullptr, false);
        const bool whole =
            json.is_object() && json.contains("happened") && fs::exists(folder_ / (name + ".mp4"));
        if (!whole) {
            // Only names that begin with a time are of clips.
            if (name.starts_with("20") && name.size() > 20) remove(name);
            continue;
        }
        try {
            clips_.push_back(
                {name,
                 {json.value("time", ""), json.value("source", ""),
                  json.value("happened", std::vector<std::string>()), json.value("seconds", 0.0)}});
        } catch (const Ordered::exception&) {
            spdlog::warn("'{}.json' is not of a clip and is left alone", (folder_ / name).string());
        }
    }
}

fs::path ClipStore::new_name(const std::string& time, const std::string& source) {
    const std::scoped_lock lock(mutex_);
    std::string name = part_of_name(time) + "-" + part_of_name(source), first = name;
    for (int i = 2;
         fs::exists(folder_ / (name + ".mp4")) || std::ranges::find(begun_, name) != begun_.end();
         ++i)
        name = first + "-" + std::to_string(i);
    begun_.push_back(name);
    return folder_ / name;
}

void ClipStore::add(const fs::path& name, const EventClip& clip) {
    const std::scoped_lock lock(mutex_);
    const std::string stem = name.filename().string();
    NewFile file(folder_ / (stem + ".json"));
    file.write(json_of(clip).dump(1, ' ', false, Ordered::error_handler_t::replace) + "\n");
    file.finish();
    std::erase(begun_, stem);
    const auto after = std::ranges::upper_bound(clips_, stem, {}, &Kept::name);
    clips_.insert(after, {stem, clip});
    trim();
    write_index();
}

void ClipStore::make_room() {
    const std::scoped_lock lock(mutex_);
    trim();
    write_index();  // a crash may have come between a clip and its line
}

void ClipStore::trim() {
    size_t gone = 0;
    uint64_t all = bytes();
    while (all > most_bytes_ && gone < clips_.size()) {
        remove(clips_[gone++].name);
        all = bytes();
    }
    clips_.erase(clips_.begin(), clips_.begin() + std::ptrdiff_t(gone));
    if (gone > 0 && clips_.empty())
        spdlog::warn("no clip fits into the {} bytes of --keep", most_bytes_);
}

uint64_t ClipStore::bytes() const {
    uint64_t bytes = 0;
    std::error_code none;
    for (const fs::directory_entry& file : fs::directory_iterator(folder_, none))
        if (file.is_regular_file(none)) bytes += file.file_size(none);
    return bytes;
}

// First the mark of a whole clip.
void ClipStore::remove(const std::string& name) const {
    std::error_code none;
    for (const char* ending : endings) fs::remove(folder_ / (name + ending), none);
}

std::vector<std::string> ClipStore::names() const {
    const std::scoped_lock lock(mutex_);
    std::vector<std::string> names;
    for (const Kept& one : clips_) names.push_back(one.name);
    return names;
}

void ClipStore::write_index() const {
    std::string figures;
    size_t shown = 0;
    for (auto it = clips_.rbegin(); it != clips_.rend() && shown < most_shown; ++it, ++shown)
        figures += figure_of(it->name, it->clip);
    std::map<std::string, std::string> parts = {
        {"title", "Clips"},
        {"style", text_asset("page.css") + text_asset("clips.css")},
        {"count", std::to_string(clips_.size()) + (clips_.size() == 1 ? " clip" : " clips")},
        {"clips", figures}};
    add_shared_parts(parts, "default-src 'none'; img-src 'self' file:; style-src '" +
                                hash_of(parts.at("style")) + "'");
    NewFile file(folder_ / "index.html");
    file.write(filled(text_asset("clips.html"), parts));
    file.finish();
}

}  // namespace saccade
