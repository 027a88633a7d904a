#include "app/serve/batch_viewers.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/io/text.h"
#include "app/serve/crossings.h"
#include "app/serve/metrics.h"

namespace saccade {

namespace {

using Json = nlohmann::json;
using namespace std::chrono_literals;

constexpr size_t most_names = 60;  // of detections

}  // namespace

BatchViewers::BatchViewers(Exchange& exchange, Device& device, ResultLabels labels, uint64_t left)
    : exchange_(exchange), device_(device), labels_(std::move(labels)), all_(left) {
    status_.device = device.info().name;
    publish_status({});
}

void BatchViewers::show(const Done& done) {
    count(done.result);
    exchange_.beat({.newest = status_.frames});  // a file's frame is new when it is done
    const auto now = Clock::now();
    if (!last_status_ || now - *last_status_ > 250ms) publish_status(done.result.info.source);
    const Exchange::Wanted wanted = exchange_.wanted(status_.frames);
    const bool picture = wanted.picture && done.planes.memory;
    if (!picture && !wanted.line) return;
    ServedFrame frame;
    frame.number = status_.frames;
    frame.captured = done.result.info.captured;
    frame.line = line_of(done.result, labels_);
    if (wanted.line) frame.crossings = crossings_in(done.result, labels_);
    exchange_.show(std::move(frame), picture ? done.planes : PlanarView());
}

void BatchViewers::count(const FrameResult& result) {
    ++status_.frames;
    for (const auto& [stage, ms] : result.ms) status_.stages.add(stage, ms);
    if (result.detections)
        for (const Detection& d : *result.detections) ++found_[labels_.detector[d.id]];
    else if (result.classes && !result.classes->empty())
        ++found_[labels_.classifier[result.classes->front().id]];
}

void BatchViewers::publish_status(const SourceName& source) {
    last_status_ = Clock::now();
    const double seconds = std::chrono::duration<double>(*last_status_ - start_).count();
    status_.frames_per_second = seconds > 0 ? double(status_.frames) / seconds : 0;
    status_.memory = device_.memory();
    const uint64_t left = all_ > status_.frames ? all_ - status_.frames : 0;
    const double rate = status_.frames_per_second;

    std::vector<std::pair<std::string, uint64_t>> found(found_.begin(), found_.end());
    std::ranges::stable_sort(found, std::greater(), [](const auto& one) { return one.second; });
    found.resize(std::min(found.size(), most_names));
    Json stages = Json::array(), names = Json::array();
    for (const StageTimes::Stage& stage : status_.stages.stages)
        stages.push_back({stage.name, std::round(100 * double(stage.ms.mean())) / 100});
    for (const auto& [name, how_many] : found) names.push_back({name, how_many});
    const Json state = {
        {"kind", "batch"},
        {"annotated", true},
        {"source", text_of_name(source.text())},
        {"source_state", ""},
        {"device", status_.device},
        {"frames", status_.frames},
        {"dropped", 0},
        {"rate", std::round(10 * rate) / 10},
        {"memory", {{"device", status_.memory.device_bytes}, {"host", status_.memory.host_bytes}}},
        {"stages", stages},
        {"found", names},
        {"progress",
         {{"done", status_.frames},
          {"left", left},
          {"source", text_of_name(source.text())},
          {"seconds", rate > 0 ? std::round(double(left) / rate) : 0}}}};
    exchange_.tell(state.dump(-1, ' ', false, Json::error_handler_t::replace), metrics_of(status_));
}

}  // namespace saccade
