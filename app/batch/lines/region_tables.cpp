#include "app/batch/lines/region_tables.h"

#include <algorithm>
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

// Counts again what the run has counted: its lines hold all that is needed.
class Recount {
public:
    Recount(const Regions& regions, const RegionTables& to)
        : regions_(regions), events_(to.events), counts_(to.counts) {
        counts_.write("source,region,kind,label,in,out,inside,most_inside,seconds,longest\n");
    }

    void begin(const std::string& source) {
        end();
        source_ = source;
        counter_.emplace(regions_);
    }
    void add(const Object& line) {
        std::vector<TrackSeen> seen;
        for (const Object& d : line.value("detections", Object::array())) {
            const auto id = uint32_t(whole_number(d.at("id"), most_labels));
            labels_[id] = d.at("label").get<std::string>();
            const Object& box = d.at("box");
            seen.push_back(
                {d.contains("track") ? uint32_t(whole_number(d["track"], UINT32_MAX)) : 0,
                 id,
                 d.at("score"),
                 {box.at(0).get<float>(), box.at(1).get<float>(), box.at(2).get<float>(),
                  box.at(3).get<float>()}});
        }
        const Size size(whole_number(line.at("width"), most_pixels_a_side),
                        whole_number(line.at("height"), most_pixels_a_side));
        counter_->step(line.at("time"), whole_number(line.at("frame")), size, seen);
        for (const RegionEvent& event : counter_->events())
            events_.write(json_text(json_of(event, counter_->counts()[event.region],
                                            line.at("source"), labels_[event.label])) +
                          "\n");
    }
    void finish() {
        end();
        events_.finish(Sync::yes);
        counts_.finish(Sync::yes);
    }

private:
    void end() {
        if (!counter_) return;
        for (size_t i = 0; i < counter_->counts().size(); ++i) {
            const RegionCounts& counts = counter_->counts()[i];
            const std::vector<Stays> stays = counter_->stays(i);
            for (const RegionCounts::OfClass& of : counts.classes) {
                counts_.write(csv_field(source_) + "," + csv_field(counts.name) +
                              (counts.zone ? ",zone," : ",line,") + csv_field(labels_[of.id]) +
                              "," + std::to_string(of.in) + "," + std::to_string(of.out));
                const auto stay = std::ranges::find(stays, of.id, &Stays::label);
                if (counts.zone && stay != stays.end())
                    counts_.write("," + std::to_string(of.inside) + "," +
                                  std::to_string(stay->most) + "," + json_text(stay->seconds) +
                                  "," + json_text(stay->longest) + "\n");
                else
                    counts_.write(",,,,\n");
            }
        }
        counter_.reset();
    }

    const Regions& regions_;
    NewFile events_, counts_;
    std::string source_;
    std::optional<RegionCounter> counter_;
    std::map<uint32_t, std::string> labels_;
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
