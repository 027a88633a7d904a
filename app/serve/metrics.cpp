#include "app/serve/metrics.h"

#include <algorithm>
#include <cstdio>
#include <sstream>

namespace saccade {

namespace {

std::string number(double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%.10g", value);
    return text;
}

// A label's value, with quotes, backslashes and line ends escaped.
std::string label_value(const std::string& text) {
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
    sample(name, "", value);
}

void Metrics::sample(const std::string& name, const std::string& label, double value) {
    std::string labels = source_.empty() ? "" : "source=" + label_value(source_);
    if (!label.empty()) labels += (labels.empty() ? "" : ",") + label;
    if (!labels.empty()) labels = "{" + labels + "}";
    text_ += name + labels + " " + number(value) + "\n";
}

void Metrics::add(const std::string& name, const char* type, const char* help,
                  const std::string& label, const Labelled& values) {
    head(name, type, help);
    for (const auto& [of, value] : values) sample(name, label + "=" + label_value(of), value);
}

std::string metrics_of(const Status& status) {
    Metrics metrics(status.name);
    metrics.add("saccade_frames_total", "counter", "Frames that went through the models",
                double(status.frames));
    metrics.add("saccade_dropped_total", "counter", "Frames that were too late for them",
                double(status.dropped));
    metrics.add("saccade_frames_per_second", "gauge", "Rate over the last frames",
                status.frames_per_second);
    metrics.add("saccade_latency_seconds", "gauge",
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

std::string merged_metrics(const std::vector<std::string>& texts) {
    // Heads and their samples; samples without a head come first.
    std::vector<std::pair<std::string, std::string>> metrics{{"", ""}};
    for (const std::string& text : texts) {
        std::istringstream lines(text);
        size_t at = 0;
        for (std::string line, help; std::getline(lines, line);) {
            if (line.starts_with("# HELP ")) {
                help = line + "\n";
            } else if (line.starts_with("# TYPE ")) {
                help += line + "\n";
                const auto known =
                    std::ranges::find(metrics, help, &decltype(metrics)::value_type::first);
                at = size_t(known - metrics.begin());
                if (known == metrics.end()) metrics.emplace_back(help, "");
            } else {
                metrics[at].second += line + "\n";
            }
        }
    }
    std::string all;
    for (const auto& [head, samples] : metrics) all += head + samples;
    return all;
}

}  // namespace saccade
