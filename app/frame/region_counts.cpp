#include "app/frame/region_counts.h"

#include <nlohmann/json.hpp>

namespace saccade {

using Object = nlohmann::ordered_json;

Object json_of(const std::vector<RegionCounts>& counts, std::span<const std::string> labels) {
    using OfClass = RegionCounts::OfClass;
    Object object = Object::object();
    for (const RegionCounts& region : counts) {
        Object& one = object[region.name];
        auto add = [&](const char* key, uint32_t OfClass::*number) {
            one[key] = Object::object();
            for (const OfClass& of : region.classes)
                if (of.*number > 0) one[key][labels[of.id]] = of.*number;
        };
        add("in", &OfClass::in);
        add("out", &OfClass::out);
        if (region.zone) add("inside", &OfClass::inside);
    }
    return object;
}

Object json_of(const RegionEvent& event, const RegionCounts& region, const std::string& source,
               const std::string& label) {
    Object line = {{"source", source},
                   {"frame", event.frame},
                   {"time", event.time},
                   {"region", region.name},
                   {"kind", region.zone ? "zone" : "line"},
                   {"event", event.in ? "in" : "out"},
                   {"track", event.track},
                   {"label", label},
                   {"id", event.label}};
    if (region.zone && !event.in) line["seconds"] = event.seconds;
    return line;
}

}  // namespace saccade
