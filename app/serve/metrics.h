#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/live/state/status.h"

namespace saccade {

// Prometheus' text format, version 0.0.4.
class Metrics {
public:
    void add(const std::string& name, const char* type, const char* help, double value);
    // One for each value of a label.
    using Labelled = std::vector<std::pair<std::string, double>>;
    void add(const std::string& name, const char* type, const char* help, const std::string& label,
             const Labelled& values);
    const std::string& text() const { return text_; }

private:
    void head(const std::string& name, const char* type, const char* help);
    std::string text_;
};

std::string metrics_of(const Status& status);

}  // namespace saccade
