#include "app/lab/kernels.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/lab/bench_model.h"
#include "gpu/core/pipelines.h"

namespace saccade {

namespace {

// The same number under the names that drivers give it. Where several are there, the first counts
// that is not zero.
struct Column {
    const char* title;
    std::vector<std::string> names;
};
const Column spilled{
    "spilled", {"Spilled VGPRs", "Spilled SGPRs", "Scratch size", "Local Memory Size", "spills"}};
const std::vector<Column> columns = {
    {"registers", {"VGPRs", "Register Count", "registers"}},
    {"scalar", {"SGPRs"}},
    spilled,
    {"shared bytes", {"LDS size", "Shared Memory Size"}},
    {"waves", {"Subgroups per SIMD", "Max Waves", "Warps Per SM"}},
    {"code bytes", {"Code size", "Binary Size"}},
};

std::string number_of(const Pipelines::Report& report, const Column& column) {
    std::string found = "-";
    for (const std::string& name : column.names)
        for (const auto& [told, value] : report.numbers)
            if (told == name && (found == "-" || found == "0")) found = std::to_string(value);
    return found;
}

std::string table(const DeviceInfo& device, const std::vector<Pipelines::Report>& reports) {
    size_t width = 0, spill = 0;
    for (const Pipelines::Report& report : reports) width = std::max(width, report.kernel.size());
    auto cells = [&](const std::string& first, auto&& value) {
        std::string line = first + std::string(width - std::min(width, first.size()), ' ');
        for (const Column& column : columns) {
            char text[64];
            std::snprintf(text, sizeof text, " %12s", std::string(value(column)).c_str());
            line += text;
        }
        return line + "\n";
    };
    std::string text = device.name + ", " + device.driver + "\n" +
                       cells("kernel", [](const Column& column) { return column.title; });
    for (const Pipelines::Report& report : reports) {
        text += cells(report.kernel, [&](const Column& c) { return number_of(report, c); });
        const std::string number = number_of(report, spilled);
        if (number != "0" && number != "-") ++spill;
    }
    const bool told = std::ranges::any_of(
        reports, [](const Pipelines::Report& report) { return !report.numbers.empty(); });
    return text + std::to_string(reports.size()) + " kernels, " +
           (told ? std::to_string(spill) + " of them spill registers\n"
                 : "of which this driver tells nothing\n");
}

std::string as_json(const DeviceInfo& device, const std::vector<Pipelines::Report>& reports) {
    nlohmann::json kernels = nlohmann::json::array();
    for (const Pipelines::Report& report : reports) {
        nlohmann::json numbers = nlohmann::json::object();
        for (const auto& [name, value] : report.numbers) numbers[name] = value;
        kernels.push_back({{"kernel", report.kernel}, {"numbers", std::move(numbers)}});
    }
    return nlohmann::json{
               {"device", device.name}, {"driver", device.driver}, {"kernels", std::move(kernels)}}
               .dump(1) +
           "\n";
}

}  // namespace

std::string describe_kernels(EngineOptions options, const std::vector<std::string>& models,
                             uint32_t beams, bool json) {
    options.executes = false;
    Engine engine(options);
    for (const std::string& name : models.empty() ? bench_models() : models)
        for (const uint32_t batch : {1u, 8u}) {  // tiles differ
            const std::unique_ptr<BenchModel> model = make_bench_model(engine, name);
            model->prepare(engine, {batch, beams});
            model->run();
        }
    Device& device = engine.device();
    const std::vector<Pipelines::Report> reports = device.pipelines().reports();
    return json ? as_json(device.info(), reports) : table(device.info(), reports);
}

}  // namespace saccade
