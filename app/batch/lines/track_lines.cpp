#include "app/batch/lines/track_lines.h"

#include <nlohmann/json.hpp>
#include <optional>

#include "app/batch/lines/frame_lines.h"
#include "app/batch/lines/whole_number.h"
#include "app/frame/region_counts.h"
#include "gpu/core/error.h"
#include "gpu/core/files.h"

namespace saccade {

namespace {

using Object = nlohmann::ordered_json;
namespace fs = std::filesystem;

// Keeps the detections that belong to a track or are strong, and appends their tracks.
void set_tracks(Object& line, std::span<const FrameTracker::Kept> kept, size_t things) {
    if (!line.contains("detections")) return;
    Object& all = line["detections"];
    if (all.size() != things)
        throw Error(
            "a line of FRAMES.jsonl does not match the tracker's observations of its frame: run "
            "its part again");
    Object stay = Object::array();
    for (const auto& [thing, track] : kept) {
        stay.push_back(std::move(all[thing]));
        if (track > 0) stay.back()["track"] = track;
    }
    all = std::move(stay);
}

// Collects the names of classes from the lines: every class that is counted has appeared in one.
void learn_labels(const Object& line, std::vector<std::string>& labels) {
    for (const Object& d : line.value("detections", Object::array())) {
        const uint64_t id = whole_number(d.at("id"), most_labels);
        if (labels.size() <= id) labels.resize(id + 1);
        labels[id] = d.at("label").get<std::string>();
    }
}

// Inserts the counts where line_of() puts them.
Object with_counts(const Object& line, const Object& counts) {
    Object result = Object::object();
    for (const auto& [key, value] : line.items()) {
        if (key == (line.contains("truth") ? "truth" : "ms")) result["counts"] = counts;
        result[key] = value;
    }
    return result;
}

}  // namespace

void track_lines(const fs::path& lines, const std::map<std::string, size_t>& names,
                 const TrackerSettings& settings, const std::optional<Regions>& regions,
                 const std::function<Observations(size_t, uint64_t)>& observed) {
    NewFile file(lines);
    std::optional<FrameTracker> tracker;
    std::optional<size_t> current;
    std::vector<std::string> labels;
    for_lines(lines, [&](const Object& read) {
        Object line = read;
        const auto source = names.find(line.at("source").get<std::string>());
        if (source == names.end()) return;
        if (current != source->second) {  // track numbers start at 1 in each source
            tracker.emplace(settings, FrameTracker::Mode::track, regions);
            current = source->second;
        }
        const Observations frame = observed(source->second, whole_number(line.at("frame")));
        learn_labels(line, labels);
        set_tracks(line, tracker->step(frame), frame.detections.size());
        if (tracker->counter())
            line = with_counts(line, json_of(tracker->counter()->counts(), labels));
        file.write(line.dump(-1, ' ', false, Object::error_handler_t::replace) + "\n");
    });
    file.finish(Sync::yes);
}

}  // namespace saccade
