#include "app/batch/lines/tables.h"

#include <charconv>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>

#include "app/batch/lines/coco_categories.h"
#include "app/batch/lines/frame_lines.h"
#include "app/batch/lines/whole_number.h"
#include "app/sources/pictures.h"
#include "gpu/core/error.h"
#include "gpu/core/files.h"

namespace saccade {

namespace {

using Object = nlohmann::ordered_json;
namespace fs = std::filesystem;

std::string text_of(const Object& value) {
    return value.dump(-1, ' ', false, Object::error_handler_t::replace);
}

// "000000397133.jpg"
std::optional<uint64_t> number_of(const fs::path& path) {
    const std::string stem = path.stem().string();
    uint64_t number = 0;
    const auto [end, error] = std::from_chars(stem.data(), stem.data() + stem.size(), number);
    if (!is_picture_name(path) || error != std::errc() || end != stem.data() + stem.size())
        return std::nullopt;
    return number;
}

bool all_are_numbers(const fs::path& lines) {
    std::set<uint64_t> numbers;
    bool all = true;
    for_lines(lines, [&](const Object& line) {
        const auto number = number_of(line.at("source").get<std::string>());
        all = all && number && numbers.insert(*number).second;
    });
    return all;
}

}  // namespace

std::string csv_field(std::string text) {
    if (!text.empty() && std::string_view("=+-@\t\r").find(text[0]) != std::string_view::npos)
        text.insert(0, 1, '\'');
    if (text.find_first_of(",\"\r\n") == text.npos) return text;
    std::string quoted = "\"";
    for (char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
    return quoted + '"';
}

void write_coco(const fs::path& lines, const fs::path& to) {
    const bool numbers = all_are_numbers(lines);
    NewFile file(to);
    file.write("[");
    uint64_t number = 0;
    const char* between = "\n";
    for_lines(lines, [&](const Object& line) {
        const uint64_t id =
            numbers ? number_of(line.at("source").get<std::string>()).value_or(0) : number;
        ++number;
        if (!line.contains("detections")) return;
        for (const Object& d : line["detections"]) {
            const auto& box = d.at("box");
            const double left = box.at(0), top = box.at(1), right = box.at(2), bottom = box.at(3);
            const auto known = coco_category(d.at("label").get<std::string>());
            Object found = {{"image_id", id},
                            {"category_id", known ? Object(*known) : d.at("id")},
                            {"bbox", {left, top, right - left, bottom - top}},
                            {"score", d.at("score")}};
            if (d.contains("mask")) found["segmentation"] = d["mask"];
            if (d.contains("track")) found["track_id"] = d["track"];
            file.write(between + text_of(found));
            between = ",\n";
        }
    });
    file.write("\n]\n");
    file.finish(Sync::yes);
}

void write_csv(const fs::path& lines, const fs::path& to, bool tracks) {
    NewFile file(to);
    const std::string end = tracks ? ",\n" : "\n";  // of a row without a track
    file.write("source,frame,time,kind,label,id,score,left,top,right,bottom");
    file.write(tracks ? ",track\n" : "\n");
    for_lines(lines, [&](const Object& line) {
        const std::string frame = csv_field(line.at("source").get<std::string>()) + ',' +
                                  text_of(line.at("frame")) + ',' + text_of(line.at("time")) + ',';
        auto row = [&](const char* kind, const Object& found) {
            std::string text = frame + kind + ',' +
                               csv_field(found.at("label").get<std::string>()) + ',' +
                               text_of(found.at("id")) + ',' + text_of(found.at("score"));
            for (size_t i = 0; i < 4; ++i)
                text += "," + (found.contains("box") ? text_of(found["box"].at(i)) : "");
            const bool tracked = tracks && found.contains("track");
            file.write(text + (tracked ? "," + text_of(found["track"]) + "\n" : end));
        };
        if (line.contains("detections"))
            for (const Object& found : line["detections"]) row("detection", found);
        if (line.contains("classes"))
            for (const Object& found : line["classes"]) row("class", found);
        if (line.contains("caption"))
            file.write(frame + "caption," +
                       csv_field(line["caption"].at("text").get<std::string>()) + ",,,,,," + end);
    });
    file.finish(Sync::yes);
}

void write_mot(const fs::path& lines, const std::map<std::string, size_t>& names,
               const std::function<fs::path(size_t)>& file_of) {
    // The lines are in the order of sources, so one file is open at a time.
    std::unique_ptr<NewFile> file;
    std::optional<size_t> current;
    for_lines(lines, [&](const Object& line) {
        const auto source = names.find(line.at("source").get<std::string>());
        if (source == names.end()) return;
        if (current != source->second) {
            if (file) file->finish(Sync::yes);
            file = std::make_unique<NewFile>(file_of(source->second));
            current = source->second;
        }
        if (!line.contains("detections")) return;
        const std::string frame = std::to_string(whole_number(line.at("frame")) + 1);
        for (const Object& d : line["detections"]) {
            if (!d.contains("track")) continue;
            const auto& box = d.at("box");
            const double left = box.at(0), top = box.at(1), right = box.at(2), bottom = box.at(3);
            file->write(frame + "," + text_of(d["track"]) + "," + text_of(left) + "," +
                        text_of(top) + "," + text_of(right - left) + "," + text_of(bottom - top) +
                        "," + text_of(d.at("score")) + ",-1,-1,-1\n");
        }
    });
    if (file) file->finish(Sync::yes);
}

}  // namespace saccade
