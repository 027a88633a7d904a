#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gpu/recorder/commands.h"

namespace saccade {

// Milliseconds over many runs.
struct Timing {
    double median = 0, least = 0, most = 0;
    size_t runs = 0;
};
Timing summarize(std::vector<double> ms);

// The best rates that were measured on the device, as in a roofline model.
struct Ceilings {
    double flops = 0, bytes = 0;     // per second
    std::string flops_of, bytes_of;  // the operations that reach them
};

struct BenchEntry {
    std::string name;
    Timing ms;
    double flops = 0;
    Commands::Counts counts;
    std::optional<double> off_plain;  // max |ours - plain| / max |plain|, if it was checked
    double device_mib = 0, host_mib = 0;
    std::vector<ScopeTime> dispatches;  // timed one at a time, if requested

    double per_second(double amount) const { return amount / ms.median * 1e3; }
    // The time that the ceilings allow, as a fraction of the measured time.
    double of_ceiling(const Ceilings& ceilings) const;
};

struct BenchReport {
    std::string device, driver, precision;
    uint32_t batch = 1;
    Ceilings ceilings;
    std::vector<BenchEntry> models, ops;
};

// The medians of an earlier report, by name.
struct EarlierReport {
    std::string heading;
    std::map<std::string, double> models, ops;
};
EarlierReport read_earlier_report(const std::filesystem::path& path);

// With an earlier report, each entry also has its time there, and the ratio of the two.
std::string as_table(const BenchReport& report, const EarlierReport* earlier);
std::string as_json(const BenchReport& report, const EarlierReport* earlier);

}  // namespace saccade
