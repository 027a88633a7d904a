#include "app/batch/plan/inputs.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "app/sources/files.h"
#include "app/sources/open_source.h"
#include "app/sources/pictures.h"
#include "app/sources/video_file.h"
#include "gpu/core/error.h"

namespace saccade {

namespace {

namespace fs = std::filesystem;

std::vector<std::string> read_list(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw Error("the list '" + path + "' cannot be read: check its name");
    std::vector<std::string> words;
    for (std::string line; std::getline(file, line);) {
        if (line.ends_with('\r')) line.pop_back();
        if (!line.empty() && !line.starts_with('#')) words.push_back(line);
    }
    if (words.empty())
        throw Error("the list '" + path + "' names no source: write one on each line");
    return words;
}

void add_pictures(std::vector<BatchSource>& sources, const std::string& text,
                  std::vector<fs::path> pictures) {
    if (!pictures.empty()) sources.push_back({text, std::move(pictures)});
}

bool is_glob(const std::string& text) {
    return text.find_first_of("*?[") != text.npos && text.find("://") == text.npos &&
           !text.starts_with("synth:");
}

void add(std::vector<BatchSource>& sources, const std::string& word) {
    std::error_code error;
    const bool folder = fs::is_directory(word, error), file = fs::is_regular_file(word, error);
    if (file && is_picture_name(word)) {
        // Joins the picture that was named just before, if any.
        const bool follows_picture = !sources.empty() && !sources.back().pictures.empty() &&
                                     sources.back().name == sources.back().pictures.front();
        if (follows_picture)
            sources.back().pictures.emplace_back(word);
        else
            sources.push_back({fs::path(word), {word}});
        return;
    }
    if (!folder && (file || !is_glob(word))) {
        sources.push_back({file ? SourceName(fs::path(word)) : SourceName(word)});
        return;
    }
    const size_t before = sources.size();
    for (const fs::path& video : find_files(word, is_video_name)) sources.push_back({video});
    add_pictures(sources, word, find_files(word, is_picture_name));
    if (sources.size() == before) sources.push_back({word});
}

std::string output_name(const BatchSource& source) {
    const fs::path text(source.name.text());
    if (text.native().starts_with("synth:")) return "synth";
    fs::path name = text.stem();
    if (source.pictures.size() > 1 ||
        (!source.pictures.empty() && is_glob(source.name.unmasked()))) {
        std::error_code error;
        const fs::path folder =
            fs::is_directory(text, error) ? text : source.pictures.front().parent_path();
        name = fs::absolute(folder, error).lexically_normal().filename();
        if (name.empty())
            name = fs::absolute(folder, error).lexically_normal().parent_path().filename();
    }
    return name.empty() ? "pictures" : name.string();
}

}  // namespace

std::unique_ptr<Source> BatchSource::open(const SourceOptions& options) const {
    if (!pictures.empty()) return std::make_unique<Pictures>(name, pictures, options);
    const SourceKind kind = kind_of_source(name);
    if (kind == SourceKind::camera || kind == SourceKind::stream || kind == SourceKind::screen)
        throw Error("'" + name.text() +
                    "' is live, but batch reads files; see saccade live --help");
    return open_source(name, options);
}

SourceTraits BatchSource::traits(const SourceOptions& options) const {
    if (pictures.empty() && kind_of_source(name) == SourceKind::video)
        return VideoFile::traits_of(name.unmasked());
    return open(options)->traits();
}

std::vector<BatchSource> find_sources(const std::vector<std::string>& words) {
    std::vector<BatchSource> sources;
    for (const std::string& word : words) {
        if (!word.starts_with('@')) {
            add(sources, word);
            continue;
        }
        for (const std::string& listed : read_list(word.substr(1))) add(sources, listed);
    }
    return sources;
}

std::vector<std::string> output_names(const std::vector<BatchSource>& sources) {
    std::vector<std::string> names;
    std::set<std::string> taken;
    std::map<std::string, uint64_t> used;  // the last number behind each name
    for (const BatchSource& source : sources) {
        const std::string name = output_name(source);
        uint64_t& number = used.emplace(name, 1).first->second;
        std::string free = name;
        while (!taken.insert(free).second) free = name + "-" + std::to_string(++number);
        names.push_back(std::move(free));
    }
    return names;
}

}  // namespace saccade
