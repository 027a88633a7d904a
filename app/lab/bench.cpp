#include "app/lab/bench.h"

#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/lab/bench_model.h"
#include "gpu/error.h"

namespace saccade {

namespace {

struct Timing {
    double median = 0, least = 0, most = 0;
    size_t runs = 0;
};

Timing summarize(std::vector<double> ms) {
    std::ranges::sort(ms);
    return {ms[ms.size() / 2], ms.front(), ms.back(), ms.size()};
}

Timing time_model(BenchModel& model, const BenchOptions& options) {
    model.run();  // warm
    const auto begin = std::chrono::steady_clock::now();
    std::vector<double> ms;
    auto more = [&] {
        if (options.runs) return ms.size() < options.runs;
        return ms.size() < 3 || (ms.size() < 200 && std::chrono::steady_clock::now() - begin <
                                                        std::chrono::seconds(2));
    };
    while (more()) ms.push_back(model.run());
    return summarize(std::move(ms));
}

}  // namespace

std::string bench(Engine& engine, const BenchOptions& options) {
    if (options.batch == 0) throw Error("--batch must be at least 1");
    const DeviceInfo& info = engine.device().info();
    const char* precision = engine.precision() == Type::f16 ? "fp16" : "fp32";
    nlohmann::json report = {{"device", info.name},
                             {"driver", info.driver},
                             {"precision", precision},
                             {"batch", options.batch},
                             {"models", nlohmann::json::array()}};
    std::string text = info.name + ", " + info.driver + ", " + precision + ", batch " +
                       std::to_string(options.batch) + "\n";
    char line[256];
    std::snprintf(line, sizeof line, "%-28s %9s %9s %9s %6s %9s %10s %11s %9s\n", "model",
                  "median ms", "least", "most", "runs", "TFLOP/s", "dispatches", "device MiB",
                  "host MiB");
    text += line;
    for (const std::string& model : options.models.empty() ? bench_models() : options.models) {
        const std::unique_ptr<BenchModel> made = make_bench_model(engine, model);
        malloc_trim(0);  // what loading left behind is not what running takes
        made->prepare(engine, options.batch);
        const Timing t = time_model(*made, options);
        const Commands::Counts counts = made->counts();
        const MemoryUse memory = engine.device().memory();
        const double tflops = 2 * options.batch * made->multiply_adds() / t.median * 1e-9;
        const double device_mib = double(memory.device_bytes) / (1 << 20);
        const double host_mib = double(memory.host_bytes) / (1 << 20);
        std::snprintf(line, sizeof line, "%-28s %9.3f %9.3f %9.3f %6zu %9.3f %10u %11.1f %9.1f\n",
                      model.c_str(), t.median, t.least, t.most, t.runs, tflops, counts.dispatches,
                      device_mib, host_mib);
        text += line;
        report["models"].push_back({{"model", model},
                                    {"median_ms", t.median},
                                    {"least_ms", t.least},
                                    {"most_ms", t.most},
                                    {"runs", t.runs},
                                    {"tflops", tflops},
                                    {"dispatches", counts.dispatches},
                                    {"barriers", counts.barriers},
                                    {"device_mib", device_mib},
                                    {"host_mib", host_mib}});
    }
    return options.json ? report.dump(1) + "\n" : text;
}

}  // namespace saccade
