#include "app/lab/bench.h"

#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "gpu/error.h"
#include "models/classifier.h"
#include "models/synthetic.h"

namespace saccade {

namespace {

struct Architecture {
    const char* name;
    uint32_t hidden, layers, heads, intermediate, image;
};
constexpr Architecture architectures[] = {
    {"deit-tiny-patch16-224", 192, 12, 3, 768, 224},
    {"deit-small-patch16-224", 384, 12, 6, 1536, 224},
    {"vit-base-patch16-224", 768, 12, 12, 3072, 224},
    {"vit-large-patch16-384", 1024, 24, 16, 4096, 384},
};

Classifier make(Engine& engine, const std::string& model) {
    for (const Architecture& a : architectures) {
        if (model != a.name) continue;
        const nlohmann::json config = {{"model_type", "vit"},
                                       {"architectures", {"ViTForImageClassification"}},
                                       {"hidden_size", a.hidden},
                                       {"num_hidden_layers", a.layers},
                                       {"num_attention_heads", a.heads},
                                       {"intermediate_size", a.intermediate},
                                       {"image_size", a.image},
                                       {"num_labels", 1000u}};
        const nlohmann::json processor = {{"image_processor_type", "ViTImageProcessor"},
                                          {"size", {{"height", a.image}, {"width", a.image}}}};
        SyntheticWeights weights(1, StoredType::f32);
        return Classifier(engine.device(), read_vit_config(config, a.name),
                          Preprocessor::parse(processor, a.name), weights, engine.precision());
    }
    if (!std::filesystem::exists(model)) {
        std::string known;
        for (const std::string& name : bench_models()) known += " " + name;
        throw Error("'" + model + "' is neither a model folder nor one of" + known);
    }
    return Classifier::open(engine.device(), model, engine.precision());
}

struct Timing {
    double median = 0, least = 0, most = 0;
    size_t runs = 0;
};

Timing summarize(std::vector<double> ms) {
    std::ranges::sort(ms);
    return {ms[ms.size() / 2], ms.front(), ms.back(), ms.size()};
}

// The model alone, on patches that are already there; the same recording again and again.
Timing time_model(Engine& engine, Classifier& classifier, const BenchOptions& options,
                  Commands& c) {
    const ViTConfig& config = classifier.config();
    Tap nobody;
    Download keep;  // somebody must want the result
    c.begin();
    {
        auto scope = c.scope("model");
        const Tensor patches = c.scratch(options.batch, config.grid_height() * config.grid_width(),
                                         config.channels * config.patch_height * config.patch_width,
                                         engine.precision());
        const Tensor logits = classifier.logits(c, patches, nobody);
        keep.record(c, logits);
    }
    c.end();
    c.run();  // warm
    const auto begin = std::chrono::steady_clock::now();
    std::vector<double> ms;
    auto more = [&] {
        if (options.runs) return ms.size() < options.runs;
        return ms.size() < 3 || (ms.size() < 200 && std::chrono::steady_clock::now() - begin <
                                                        std::chrono::seconds(2));
    };
    while (more()) {
        const auto before = std::chrono::steady_clock::now();
        c.run();
        const std::vector<ScopeTime> times = c.times();
        // Without timestamps the host's clock has to do.
        ms.push_back(times.empty() ? std::chrono::duration<double, std::milli>(
                                         std::chrono::steady_clock::now() - before)
                                         .count()
                                   : times.front().ms);
    }
    return summarize(std::move(ms));
}

double multiply_adds(const ViTConfig& c) {
    const double tokens = c.tokens(), dim = c.hidden;
    const double block =
        tokens * dim * (4 * dim + 2.0 * c.intermediate) + 2 * tokens * tokens * dim;
    return c.layers * block + tokens * dim * c.channels * c.patch_height * c.patch_width;
}

}  // namespace

std::vector<std::string> bench_models() {
    std::vector<std::string> names;
    for (const Architecture& a : architectures) names.emplace_back(a.name);
    return names;
}

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
        Classifier classifier = make(engine, model);
        malloc_trim(0);  // what loading left behind is not what running takes
        Commands c(engine.device(), engine.scratch(), "bench");
        const Timing t = time_model(engine, classifier, options, c);
        const MemoryUse memory = engine.device().memory();
        const double tflops =
            2 * options.batch * multiply_adds(classifier.config()) / t.median * 1e-9;
        const double device_mib = double(memory.device_bytes) / (1 << 20);
        const double host_mib = double(memory.host_bytes) / (1 << 20);
        std::snprintf(line, sizeof line, "%-28s %9.3f %9.3f %9.3f %6zu %9.3f %10u %11.1f %9.1f\n",
                      model.c_str(), t.median, t.least, t.most, t.runs, tflops,
                      c.counts().dispatches, device_mib, host_mib);
        text += line;
        report["models"].push_back({{"model", model},
                                    {"median_ms", t.median},
                                    {"least_ms", t.least},
                                    {"most_ms", t.most},
                                    {"runs", t.runs},
                                    {"tflops", tflops},
                                    {"dispatches", c.counts().dispatches},
                                    {"barriers", c.counts().barriers},
                                    {"device_mib", device_mib},
                                    {"host_mib", host_mib}});
    }
    return options.json ? report.dump(1) + "\n" : text;
}

}  // namespace saccade
