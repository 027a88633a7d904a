#include "app/serve/crossings.h"

#include <nlohmann/json.hpp>

#include "app/frame/region_counts.h"
#include "app/io/text.h"

namespace saccade {

std::vector<std::string> crossings_in(const FrameResult& result, const ResultLabels& labels) {
    const std::string source = text_of_name(result.info.source.text());
    std::vector<std::string> lines;
    for (const RegionEvent& event : result.events)
        lines.push_back(
            json_of(event, result.counts.at(event.region), source, labels.detector.at(event.label))
                .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    return lines;
}

}  // namespace saccade
