#include "app/batch/lines/region_tables.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/batch/lines/frame_lines.h"
#include "app/batch/lines/tables.h"
#include "app/batch/lines/whole_number.h"
#include "app/frame/region_counts.h"
#include "app/track/region_counter.h"
#include "gpu/core/files.h"

namespace saccade {

namespace {

using Object = nlohmann::ordered_json;
namespace fs = std::filesystem;

std::string json_text(const Object& value) {
    return value.dump(-1, ' ', false, Object::error_handler_t::replace);
}

// The objects of a line. `number` is the key of an object's track number.
std::vector<TrackSeen> things_in(const Object& list, const char* number,
                                 std::map<uint32_t, std::string>& labels) {
    std::vector<TrackSeen> things;
    for (const Object& d : list) {
        TrackSeen& thing = things.emplace_back();
        if (d.contains(number)) thing.track = uint32_t(whole_number(d.at(number), UINT32_MAX));
        thing.label = uint32_t(whole_number(d.at("id"), most_labels));
        thing.score = d.value("score", 1.0f);
        const Object& box = d.at("box");
        thing.box = {box.at(0).get<float>(), box.at(1).get<float>(), box.at(2).get<float>(),
                     box.at(3).get<float>()};
        labels[thing.label] = d.at("label").get<std::string>();
    }
    return things;
}

// A RegionCounter together with the names of the classes that it counts.
struct NamedCounter {
    explicit NamedCounter(const Regions& regions) : counter(regions) {}

    RegionCounter counter;
    std::map<uint32_t, std::string> labels;

    void step(const Object& line, const Object& list, const char* number) {
        const std::vector<TrackSeen> things = things_in(list, number, labels);
        const Size size(whole_number(line.at("width"), most_pixels_a_side),
                        whole_number(line.at("height"), most_pixels_a_side));
        counter.step(line.at("time"), whole_number(line.at("frame")), size, things);
    }
    // The counts of a class in a region; null if there are none.
    const RegionCounts::OfClass* of(size_t region, const std::string& label) const {
        for (const RegionCounts::OfClass& of : counter.counts()[region].classes)
            if (labels.at(of.id) == label) return &of;
        return nullptr;
    }
};

// To the millisecond: frames are no closer together.
std::string seconds_text(double seconds) { return json_text(std::round(1000 * seconds) / 1000); }

// Repeats the counting of a run from its lines. Where they have the ground truth, as those of
// synth: do, it is counted as well.
class Recount {
public:
    Recount(const Regions& regions, const RegionTables& to)
        : regions_(regions), events_(to.events), counts_(to.counts) {
        counts_.write(
            "source,region,kind,label,in,out,inside,most_inside,seconds,longest,true_in,true_"
            "out\n");
    }

    void begin(const std::string& source) {
        end();
        source_ = source;
        found_.emplace(regions_);
    }
    void add(const Object& line) {
        found_->step(line, line.value("detections", Object::array()), "track");
        const RegionCounter& counter = found_->counter;
        for (const RegionEvent& event : counter.events())
            events_.write(json_text(json_of(event, counter.counts()[event.region],
                                            line.at("source"), found_->labels[event.label])) +
                          "\n");
        if (!line.contains("truth")) return;
        if (!real_) real_.emplace(regions_);
        real_->step(line, line["truth"].at("objects"), "object");
    }
    void finish() {
        end();
        events_.finish(Sync::yes);
        counts_.finish(Sync::yes);
    }

private:
    void end() {
        if (!found_) return;
        for (size_t region = 0; region < regions_.all.size(); ++region) {
            for (const auto& of : found_->counter.counts()[region].classes)
                write_row(region, found_->labels[of.id]);
            if (!real_) continue;
            for (const auto& of : real_->counter.counts()[region].classes)
                if (!found_->of(region, real_->labels[of.id]))
                    write_row(region, real_->labels[of.id]);
        }
        found_.reset();
        real_.reset();
    }
    void write_row(size_t region, const std::string& label) {
        const RegionCounts& counts = found_->counter.counts()[region];
        const RegionCounts::OfClass none, *found = found_->of(region, label);
        const RegionCounts::OfClass& of = found ? *found : none;
        counts_.write(csv_field(source_) + "," + csv_field(counts.name) +
                      (counts.zone ? ",zone," : ",line,") + csv_field(label) + "," +
                      std::to_string(of.in) + "," + std::to_string(of.out));
        const std::vector<Stays> stays = found_->counter.stays(region);
        const auto stay = std::ranges::find(stays, of.id, &Stays::label);
        if (found && counts.zone && stay != stays.end())
            counts_.write("," + std::to_string(of.inside) + "," + std::to_string(stay->most) + "," +
                          seconds_text(stay->seconds) + "," + seconds_text(stay->longest));
        else
            counts_.write(",,,,");
        const RegionCounts::OfClass* const real = real_ ? real_->of(region, label) : nullptr;
        const RegionCounts::OfClass& truth = real ? *real : none;
        counts_.write(real_ ? "," + std::to_string(truth.in) + "," + std::to_string(truth.out)
                            : ",,");
        counts_.write("\n");
    }

    const Regions& regions_;
    NewFile events_, counts_;
    std::string source_;
    std::optional<NamedCounter> found_, real_;
};

}  // namespace

void write_region_tables(const fs::path& lines, const std::map<std::string, size_t>& names,
                         const Regions& regions, const std::function<std::string(size_t)>& name_of,
                         const RegionTables& to) {
    Recount recount(regions, to);
    std::optional<size_t> current;
    for_lines(lines, [&](const Object& line) {
        const auto source = names.find(line.at("source").get<std::string>());
        if (source == names.end()) return;
        if (current != source->second) {
            recount.begin(name_of(source->second));
            current = source->second;
        }
        recount.add(line);
    });
    recount.finish();
}

}  // namespace saccade
