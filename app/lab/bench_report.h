#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gpu/recorder/commands.h"

namespace saccade {

// Milliseconds of many runs.
struct Timing {
    double median = 0, least = 0, most = 0;
    size_t runs = 0;
};
Timing summarize(std::vector<double> ms);

// The best that anything does on the device: what the rest is held against.
struct Ceilings {
    double flops = 0, bytes = 0;     // a second
    std::string flops_of, bytes_of;  // the operations that reach them
};

struct BenchEntry {
    std::string name;
    Timing ms;
    double flops = 0;
    Commands::Counts counts;
    std::optional<double> off_plain;  // max |ours - plain| / max |plain|, where it was checked
    double device_mib = 0, host_mib = 0;
    std::vector<ScopeTime> dispatches;  // one at a time, where that was asked for

    double per_second(double amount) const { return amount / ms.median * 1e3; }
    // The time that the ceilings would allow, as a part of the time it took.
    double of_ceiling(const Ceilings& ceilings) const;
};

struct BenchReport {
    std::string device, driver, precision;
    uint32_t batch = 1;
    Ceilings ceilings;
    std::vector<BenchEntry> models, ops;
};

// What an earlier report says: medians by name.
struct EarlierReport {
    std::string heading;
    std::map<std::string, double> models, ops;
};
EarlierReport read_earlier_report(const std::filesystem::path& path);

// With an earlier report, each entry also has its time there, and the ratio of the two.
std::string as_table(const BenchReport& report, const EarlierReport* earlier);
std::string as_json(const BenchReport& report, const EarlierReport* earlier);

}  // namespace saccade
