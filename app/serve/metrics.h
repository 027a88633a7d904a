#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/live/state/status.h"

namespace saccade {

// Prometheus' text format, version 0.0.4.
class Metrics {
public:
    // `source`: the name of the source, a label of all of them; empty: there is one.
    explicit Metrics(std::string source = {}) : source_(std::move(source)) {}
    void add(const std::string& name, const char* type, const char* help, double value);
    // One for each value of a label.
    using Labelled = std::vector<std::pair<std::string, double>>;
    void add(const std::string& name, const char* type, const char* help, const std::string& label,
             const Labelled& values);
    const std::string& text() const { return text_; }

private:
    void head(const std::string& name, const char* type, const char* help);
    void sample(const std::string& name, const std::string& label, double value);
    std::string source_, text_;
};

std::string metrics_of(const Status& status);
// The metrics of several sources as one text: the samples of each metric follow each other.
std::string merged_metrics(const std::vector<std::string>& texts);

}  // namespace saccade
