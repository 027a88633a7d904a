#include "app/lab/bench.h"

#include <malloc.h>

#include <chrono>
#include <cmath>
#include <optional>

#include "app/lab/bench_inputs.h"
#include "app/lab/bench_ops.h"
#include "app/lab/bench_report.h"
#include "gpu/core/error.h"

namespace saccade {

namespace {

using Clock = std::chrono::steady_clock;

Timing time_model(BenchModel& model, bool cpu, uint32_t runs) {
    const auto woken = Clock::now();
    // Warm-up: an idle H200 takes a third of a second to reach its clock.
    do model.run();
    while (!cpu && Clock::now() - woken < std::chrono::milliseconds(500));
    const auto begin = Clock::now();
    std::vector<double> ms;
    auto more = [&] {
        if (runs) return ms.size() < runs;
        return ms.size() < 3 || (ms.size() < 200 && Clock::now() - begin < std::chrono::seconds(2));
    };
    while (more()) ms.push_back(model.run());
    return summarize(std::move(ms));
}

// The same device without the features of special kernels; nullopt if it has none of them.
std::optional<EngineOptions> plain_options(const EngineOptions& options, const Features& has) {
    if (!has.cooperative_matrix && !has.texel_loads && !has.chains) return std::nullopt;
    EngineOptions plain = options;
    plain.cooperative_matrix = plain.texel_loads = plain.chains = false;
    return plain;
}

BenchEntry time_model(Engine& engine, const std::optional<EngineOptions>& plain,
                      const std::string& name, const BenchOptions& options) {
    std::optional<std::vector<float>> wanted;
    if (options.check && plain) {
        Engine other(*plain);
        const std::unique_ptr<BenchModel> model = make_bench_model(other, name);
        model->prepare(other, options.load);
        wanted = model->result();
    }
    const std::unique_ptr<BenchModel> model = make_bench_model(engine, name);
    malloc_trim(0);  // memory that loading freed does not count
    model->prepare(engine, options.load);
    BenchEntry entry;
    entry.name = name;
    if (const uint32_t beams = options.load.beams; beams > 1)
        entry.name += " by " + std::to_string(beams) + " beams";
    if (wanted) {
        entry.off_plain = difference(model->result(), *wanted);
        if (!std::isfinite(*entry.off_plain))
            throw Error(name +
                        ": its result is not finite; --no-coopmat and --no-texels use plain "
                        "kernels alone");
    }
    entry.ms = time_model(*model, engine.device().is_cpu(), options.runs);
    entry.flops = 2 * options.load.batch * model->multiply_adds();
    entry.counts = model->counts();
    if (options.dispatches) entry.dispatches = model->dispatch_times();
    const MemoryUse memory = engine.device().memory();
    entry.device_mib = double(memory.device_bytes) / (1 << 20);
    entry.host_mib = double(memory.host_bytes) / (1 << 20);
    return entry;
}

}  // namespace

std::string bench(const EngineOptions& engine_options, const BenchOptions& options) {
    if (options.load.batch == 0) throw Error("--batch must be at least 1");
    std::optional<EarlierReport> earlier;
    if (!options.compare.empty()) earlier = read_earlier_report(options.compare);

    Engine engine(engine_options);
    const DeviceInfo& info = engine.device().info();
    BenchReport report;
    report.device = info.name;
    report.driver = info.driver;
    report.precision = engine.precision() == Type::f16 ? "fp16" : "fp32";
    report.batch = options.load.batch;
    {
        Engine own(engine_options);  // so that its memory does not count for the models
        report.ceilings = measure_ceilings(own);
    }
    const std::optional<EngineOptions> plain = plain_options(engine_options, info.features);
    const bool all = options.models.empty() && !options.ops;
    for (const std::string& name : all ? bench_models() : options.models)
        report.models.push_back(time_model(engine, plain, name, options));
    if (options.ops) report.ops = time_ops(engine);
    const EarlierReport* old = earlier ? &*earlier : nullptr;
    return options.json ? as_json(report, old) : as_table(report, old);
}

}  // namespace saccade
