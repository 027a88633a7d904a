#include "app/serve/metrics.h"

#include <cstdio>

namespace saccade {

namespace {

std::string number(double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%.10g", value);
    return text;
}

// A label's value, with quotes, backslashes and line ends escaped.
std::string quoted(const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') result += '\\';
        c == '\n' ? result += "\\n" : result += c;
    }
    return result + "\"";
}

}  // namespace

void Metrics::head(const std::string& name, const char* type, const char* help) {
    text_ += "# HELP " + name + " " + help + ".\n# TYPE " + name + " " + type + "\n";
}

void Metrics::add(const std::string& name, const char* type, const char* help, double value) {
    head(name, type, help);
    text_ += name + " " + number(value) + "\n";
}

void Metrics::add(const std::string& name, const char* type, const char* help,
                  const std::string& label, const Labelled& values) {
    head(name, type, help);
    for (const auto& [of, value] : values)
        text_ += name + "{" + label + "=" + quoted(of) + "} " + number(value) + "\n";
}

std::string metrics_of(const Status& status) {
    Metrics metrics;
    metrics.add("saccade_frames_total", "counter", "Frames that went through the models",
                double(status.frames));
    metrics.add("saccade_dropped_total", "counter", "Frames that were too late for them",
                double(status.dropped));
    metrics.add("saccade_frames_per_second", "gauge", "Rate over the last frames",
                status.frames_per_second);
    metrics.add("saccade_frame_age_seconds", "gauge",
                "Age of the newest frame when the models were done with it",
                status.latency_ms / 1000);
    metrics.add("saccade_device_idle_ratio", "gauge", "Part of the time that the device waits",
                status.gpu_idle);
    Metrics::Labelled stages;
    for (const StageTimes::Stage& stage : status.stages.stages)
        stages.emplace_back(stage.name, double(stage.ms.mean()) / 1000);
    metrics.add("saccade_stage_seconds", "gauge", "Time of a frame in each stage, lately", "stage",
                stages);
    metrics.add("saccade_memory_bytes", "gauge", "Memory in use", "where",
                {{"device", double(status.memory.device_bytes)},
                 {"host", double(status.memory.host_bytes)}});
    metrics.add("saccade_info", "gauge", "What runs where", "device", {{status.device, 1}});
    return metrics.text();
}

}  // namespace saccade
