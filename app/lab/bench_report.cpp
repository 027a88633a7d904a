#include "app/lab/bench_report.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "gpu/core/error.h"
#include "models/files/json.h"

namespace saccade {

namespace {

std::string heading(const std::string& device, const std::string& driver,
                    const std::string& precision, uint32_t batch) {
    return device + ", " + driver + ", " + precision + ", batch " + std::to_string(batch);
}

template <typename... Values>
std::string line(const char* format, Values... values) {
    char text[320];
    std::snprintf(text, sizeof text, format, values...);
    return text;
}

std::optional<double> earlier_ms(const std::map<std::string, double>* medians,
                                 const std::string& name) {
    if (!medians) return std::nullopt;
    const auto found = medians->find(name);
    return found == medians->end() ? std::nullopt : std::optional(found->second);
}

std::string table(const char* kind, const std::vector<BenchEntry>& entries,
                  const Ceilings& ceilings, bool memory,
                  const std::map<std::string, double>* medians) {
    if (entries.empty()) return "";
    size_t width = 28;
    for (const BenchEntry& entry : entries) width = std::max(width, entry.name.size());
    const int column = static_cast<int>(width);
    std::string text = line("%-*s %10s %10s %10s %5s %9s %9s %10s %9s", column, kind, "median ms",
                            "least", "most", "runs", "TFLOP/s", "GB/s", "of ceiling", "off plain");
    if (memory)
        text += line(" %10s %8s %10s %9s", "dispatches", "barriers", "device MiB", "host MiB");
    if (medians) text += line(" %10s %7s", "was ms", "faster");
    text += "\n";
    for (const BenchEntry& e : entries) {
        text +=
            line("%-*s %10.4f %10.4f %10.4f %5zu %9.3f %9.1f %9.1f%% %9s", column, e.name.c_str(),
                 e.ms.median, e.ms.least, e.ms.most, e.ms.runs, e.per_second(e.flops) * 1e-12,
                 e.per_second(double(e.counts.bytes)) * 1e-9, 100 * e.of_ceiling(ceilings),
                 e.off_plain ? line("%.1e", *e.off_plain).c_str() : "-");
        if (memory)
            text += line(" %10u %8u %10.1f %9.1f", e.counts.dispatches, e.counts.barriers,
                         e.device_mib, e.host_mib);
        if (const std::optional<double> was = earlier_ms(medians, e.name))
            text += line(" %10.4f %6.2fx", *was, *was / e.ms.median);
        else if (medians)
            text += line(" %10s %7s", "-", "-");
        text += "\n";
    }
    return text;
}

// Kernels sorted by total time; one line for all dispatches of a kernel on one shape.
std::string kernels(const BenchEntry& entry) {
    struct Kernel {
        std::string name;
        size_t times = 0;
        double ms = 0;
    };
    std::vector<Kernel> kernels;
    for (const ScopeTime& time : entry.dispatches) {
        auto found = std::ranges::find(kernels, time.name, &Kernel::name);
        if (found == kernels.end()) found = kernels.insert(found, {time.name});
        ++found->times;
        found->ms += time.ms;
    }
    std::ranges::sort(kernels, std::greater(), &Kernel::ms);
    std::string text;
    if (!kernels.empty()) text = entry.name + ", one dispatch at a time:\n";
    for (const Kernel& kernel : kernels)
        text += line("%10.1f us %4zu times  ", 1e3 * kernel.ms, kernel.times) + kernel.name + "\n";
    return text;
}

Json list(const char* kind, const std::vector<BenchEntry>& entries, const Ceilings& ceilings,
          bool memory, const std::map<std::string, double>* medians) {
    Json all = Json::array();
    for (const BenchEntry& e : entries) {
        Json entry = {{kind, e.name},
                      {"median_ms", e.ms.median},
                      {"least_ms", e.ms.least},
                      {"most_ms", e.ms.most},
                      {"runs", e.ms.runs},
                      {"tflops", e.per_second(e.flops) * 1e-12},
                      {"gbps", e.per_second(double(e.counts.bytes)) * 1e-9},
                      {"of_ceiling", e.of_ceiling(ceilings)},
                      {"dispatches", e.counts.dispatches},
                      {"barriers", e.counts.barriers}};
        if (e.off_plain) entry["off_plain"] = *e.off_plain;
        for (const ScopeTime& time : e.dispatches)
            entry["each_dispatch"].push_back({{"kernel", time.name}, {"ms", time.ms}});
        if (memory) {
            entry["device_mib"] = e.device_mib;
            entry["host_mib"] = e.host_mib;
        }
        if (const std::optional<double> was = earlier_ms(medians, e.name)) {
            entry["was_ms"] = *was;
            entry["faster"] = *was / e.ms.median;
        }
        all.push_back(std::move(entry));
    }
    return all;
}

std::map<std::string, double> medians_of(const JsonFields& report, const char* list,
                                         const char* kind) {
    std::map<std::string, double> medians;
    const Json* entries = report.find(list);
    if (!entries) return medians;
    if (!entries->is_array()) report.refuse(list, "is not a list");
    for (const Json& entry : *entries) {
        const JsonFields fields(entry, report.where() + ": " + list);
        medians[fields.text(kind)] = fields.number("median_ms", 1e-6, 1e9);
    }
    return medians;
}

}  // namespace

Timing summarize(std::vector<double> ms) {
    std::ranges::sort(ms);
    return {ms[ms.size() / 2], ms.front(), ms.back(), ms.size()};
}

double BenchEntry::of_ceiling(const Ceilings& ceilings) const {
    return std::max(per_second(flops) / ceilings.flops,
                    per_second(double(counts.bytes)) / ceilings.bytes);
}

EarlierReport read_earlier_report(const std::filesystem::path& path) {
    if (!std::filesystem::exists(path))
        throw Error(path.string() + ": no such file; make it with bench --json");
    const Json json = read_json(path);
    const JsonFields fields(json, path.string());
    EarlierReport report;
    // In this order, so that an error names the first that is missing.
    const std::string device = fields.text("device"), driver = fields.text("driver"),
                      precision = fields.text("precision");
    report.heading = heading(device, driver, precision, fields.whole("batch", {1, UINT32_MAX}));
    report.models = medians_of(fields, "models", "model");
    report.ops = medians_of(fields, "ops", "op");
    if (report.models.empty() && report.ops.empty()) fields.refuse("models", "and ops are empty");
    return report;
}

std::string as_table(const BenchReport& r, const EarlierReport* earlier) {
    std::string text = heading(r.device, r.driver, r.precision, r.batch) + "\n";
    text += line("ceilings: %.3f TFLOP/s (%s), %.1f GB/s (%s)\n", r.ceilings.flops * 1e-12,
                 r.ceilings.flops_of.c_str(), r.ceilings.bytes * 1e-9, r.ceilings.bytes_of.c_str());
    if (earlier) text += "compared with: " + earlier->heading + "\n";
    text += table("model", r.models, r.ceilings, true, earlier ? &earlier->models : nullptr);
    for (const BenchEntry& entry : r.models) text += kernels(entry);
    text += table("operation", r.ops, r.ceilings, false, earlier ? &earlier->ops : nullptr);
    return text;
}

std::string as_json(const BenchReport& r, const EarlierReport* earlier) {
    Json json = {
        {"device", r.device},
        {"driver", r.driver},
        {"precision", r.precision},
        {"batch", r.batch},
        {"ceilings",
         {{"tflops", r.ceilings.flops * 1e-12},
          {"tflops_of", r.ceilings.flops_of},
          {"gbps", r.ceilings.bytes * 1e-9},
          {"gbps_of", r.ceilings.bytes_of}}},
        {"models", list("model", r.models, r.ceilings, true, earlier ? &earlier->models : nullptr)},
        {"ops", list("op", r.ops, r.ceilings, false, earlier ? &earlier->ops : nullptr)}};
    if (earlier) json["compared_with"] = earlier->heading;
    return json.dump(1) + "\n";
}

}  // namespace saccade
