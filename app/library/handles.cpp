#include "app/library/handles.h"

#include <cstdio>

namespace saccade {

thread_local char last_error[1024] = "";

void remember(const char* text) { std::snprintf(last_error, sizeof last_error, "%s", text); }

EngineOptions options_of(const saccade_engine_options& given) {
    require(given.precision >= SACCADE_AUTO && given.precision <= SACCADE_FP32,
            "there is no such precision");
    EngineOptions options;
    if (given.device) options.device = given.device;
    options.precision = static_cast<Precision>(given.precision);
    if (given.require_gpu != 0)
        options.on_device = [](const DeviceInfo& info) {
            if (info.kind == DeviceKind::cpu)
                throw Error("a GPU is required, but " + info.name +
                            " is software Vulkan: 'saccade doctor' says why");
        };
    return options;
}

saccade_result* result_of(const saccade_model& model, Found found) {
    auto result = std::make_unique<saccade_result>();
    result->model = model.number;
    const std::vector<std::string>& labels = model.runner->labels();
    for (const Detection& one : found.detections)
        result->detection_labels.push_back(labels.at(one.id));
    for (const ClassScore& one : found.classes) result->class_labels.push_back(labels.at(one.id));
    result->found = std::move(found);
    return result.release();
}

}  // namespace saccade

const char* saccade_version(void) { return SACCADE_VERSION; }
const char* saccade_error(void) { return saccade::last_error; }
