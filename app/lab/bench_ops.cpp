#include "app/lab/bench_ops.h"

#include <chrono>
#include <cmath>
#include <functional>

#include "app/lab/bench_inputs.h"
#include "gpu/core/error.h"
#include "gpu/ops/attention.h"
#include "gpu/ops/norms.h"
#include "gpu/ops/products.h"
#include "gpu/transfer/download.h"

namespace saccade {

namespace {

struct Case {
    std::string name;
    double flops;
    std::function<Tensor(Commands&)> record;
};

// Cases and their inputs.
class Cases {
public:
    explicit Cases(Engine& engine) : inputs_(engine), type_(engine.precision()) {}

    void linear(uint32_t m, uint32_t n, uint32_t k) {
        const Tensor x = inputs_.random(1, m, k, type_);
        Linear w{inputs_.random(1, n, k, type_, 1.0f / std::sqrt(float(k))),
                 inputs_.random(1, 1, n, Type::f32)};
        w.fragments = inputs_.fragments(w.weight);
        all_.push_back({"linear " + times({m, n, k}), 2.0 * m * n * k,
                        [=](Commands& c) { return saccade::linear(c, x, w); }});
    }
    void conv2d(Size size, uint32_t in, uint32_t out, uint32_t kernel, uint32_t stride) {
        Conv2d w{{}, {}, in, {kernel, kernel}, stride, kernel / 2, 1};
        w.weight = inputs_.random(1, out, kernel * kernel * padded(in), type_,
                                  1.0f / std::sqrt(float(kernel * kernel * in)));
        w.bias = inputs_.random(1, 1, out, Type::f32);
        w.fragments = inputs_.fragments(w.weight);
        const Tensor x = inputs_.random(1, area(size), in, type_);
        all_.push_back(
            {"conv2d " + times({size.y, size.x}) + " " + std::to_string(in) + "->" +
                 std::to_string(out) + " " + times({kernel, kernel}) + "/" + std::to_string(stride),
             2.0 * area(w.out_size(size)) * out * kernel * kernel * in,
             [=](Commands& c) { return saccade::conv2d(c, x, size, w, Activation::relu); }});
    }
    void attention(uint32_t queries, uint32_t keys, uint32_t heads, uint32_t size) {
        const Tensor q = inputs_.random(1, queries, heads * size, type_),
                     k = inputs_.random(1, keys, heads * size, type_),
                     v = inputs_.random(1, keys, heads * size, type_);
        const Heads shape{heads, 1.0f / std::sqrt(float(size))};
        all_.push_back({"attention " + times({queries, keys}) + " " + std::to_string(heads) +
                            " heads of " + std::to_string(size),
                        4.0 * queries * keys * heads * size,
                        [=](Commands& c) { return saccade::attention(c, q, k, v, shape); }});
    }
    void layer_norm(uint32_t rows, uint32_t columns) {
        const Tensor x = inputs_.random(1, rows, columns, Type::f32);
        const Norm w{inputs_.random(1, 1, columns, Type::f32),
                     inputs_.random(1, 1, columns, Type::f32), 1e-6f};
        all_.push_back(
            {"layer_norm " + times({rows, columns}), 8.0 * rows * columns,
             [=, type = type_](Commands& c) { return saccade::layer_norm(c, x, w, type); }});
    }
    void copy(uint32_t rows, uint32_t columns) {
        const Tensor from = inputs_.random(1, rows, columns, type_);
        all_.push_back({"copy of " + std::to_string(from.bytes >> 20) + " MiB", 0,
                        [=, type = type_](Commands& c) {
                            const Tensor to = c.scratch(1, rows, columns, type);
                            c.copy_bytes(from, to);
                            return to;
                        }});
    }
    const std::vector<Case>& all() const { return all_; }

private:
    static std::string times(std::initializer_list<uint32_t> sizes) {
        std::string text;
        for (uint32_t size : sizes) text += (text.empty() ? "" : "x") + std::to_string(size);
        return text;
    }

    BenchInputs inputs_;
    Type type_;
    std::vector<Case> all_;
};

std::vector<float> result_of(Engine& engine, const Case& what, bool plain) {
    Commands c(engine.device(), engine.scratch(), "bench check");
    c.use_plain_kernels(plain);
    Download download;
    c.begin();
    {
        auto scope = c.scope("check");
        download.record(c, what.record(c));
    }
    c.end();
    c.run();
    return download.floats();
}

// Throws an Error if a kernel's result is wrong.
double off_plain(Engine& engine, const Case& what) {
    const double most = engine.precision() == Type::f16 ? 1e-2 : 1e-4;
    const double off = difference(result_of(engine, what, false), result_of(engine, what, true));
    if (off > most)
        throw Error(
            what.name + ": the result is off the plain kernel's by " + std::to_string(off) +
            " of its largest element; --no-coopmat and --no-texels use plain kernels alone");
    return off;
}

BenchEntry time_case(Engine& engine, const Case& what) {
    const bool cpu = engine.device().is_cpu();
    const uint32_t repeats = what.flops > (cpu ? 1e8 : 1e11) ? 1 : 20;
    Commands c(engine.device(), engine.scratch(), "bench op");
    c.begin();
    {
        auto scope = c.scope("op");
        for (uint32_t i = 0; i < repeats; ++i) {
            auto once = c.scope("once");  // reuses the result's memory, so the next run waits
            what.record(c);
        }
    }
    c.end();
    // Warm-up: an idle GPU runs at a low clock at first.
    const auto begin = std::chrono::steady_clock::now();
    do c.run();
    while (!cpu && std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(100));
    std::vector<double> ms;
    for (int i = 0; i < (cpu ? 5 : 15); ++i) {
        c.run();
        if (c.times().empty()) throw Error(engine.device().info().name + " has no timestamps");
        ms.push_back(c.times().front().ms / repeats);
    }
    BenchEntry entry;
    entry.name = what.name;
    entry.ms = summarize(std::move(ms));
    entry.flops = what.flops;
    entry.counts = c.counts();
    entry.counts.dispatches /= repeats;
    entry.counts.barriers /= repeats;
    entry.counts.bytes /= repeats;
    return entry;
}

}  // namespace

Ceilings measure_ceilings(Engine& engine) {
    Cases cases(engine);
    // Large enough to exceed the caches and to occupy every core.
    const DeviceKind kind = engine.device().info().kind;
    const uint32_t side = kind == DeviceKind::discrete ? 8192
                          : kind == DeviceKind::cpu    ? 768
                                                       : 2048;
    cases.linear(side, side, side);
    cases.copy(2 * side, 4096);
    const BenchEntry product = time_case(engine, cases.all()[0]),
                     moved = time_case(engine, cases.all()[1]);
    const uint64_t bytes = 2 * tensor_bytes(1, 2 * side, 4096, engine.precision());
    return {product.per_second(product.flops), moved.per_second(double(bytes)), product.name,
            moved.name};
}

std::vector<BenchEntry> time_ops(Engine& engine) {
    Cases cases(engine);
    // GPT-2, word by word
    cases.linear(1, 2304, 768);
    cases.linear(1, 768, 3072);
    cases.attention(1, 197, 12, 64);
    if (engine.device().is_cpu()) {
        cases.linear(200, 768, 768);
        // DeiT-tiny
        cases.linear(197, 576, 192);
        cases.linear(197, 192, 768);
        cases.attention(197, 197, 3, 64);
        cases.layer_norm(197, 192);
    } else {
        // ViT-B
        cases.linear(197, 2304, 768);
        cases.linear(197, 768, 768);
        cases.linear(197, 3072, 768);
        cases.linear(197, 768, 3072);
        cases.attention(197, 197, 12, 64);
        cases.layer_norm(197, 768);
        cases.linear(1, 50257, 768);
        // ViT-B, 64 pictures at a time
        cases.linear(12608, 3072, 768);
        cases.linear(12608, 768, 3072);
        cases.linear(8192, 8192, 8192);
        // DETR-R50 at 800 x 1066
        cases.conv2d({1066, 800}, 3, 64, 7, 2);
        cases.conv2d({267, 200}, 64, 64, 1, 1);
        cases.conv2d({267, 200}, 64, 64, 3, 1);
        cases.conv2d({267, 200}, 64, 256, 1, 1);
        cases.conv2d({267, 200}, 256, 64, 1, 1);
        cases.conv2d({267, 200}, 128, 128, 3, 2);
        cases.conv2d({134, 100}, 128, 128, 3, 1);
        cases.conv2d({67, 50}, 256, 256, 3, 1);
        cases.conv2d({34, 25}, 512, 512, 3, 1);
        cases.conv2d({34, 25}, 2048, 512, 1, 1);
        cases.linear(850, 256, 256);
        cases.linear(850, 2048, 256);
        cases.linear(850, 256, 2048);
        cases.attention(850, 850, 8, 32);
        cases.attention(100, 850, 8, 32);
        // YOLOS-Ti at 512 x 672
        cases.attention(1445, 1445, 3, 64);
    }
    std::vector<BenchEntry> entries;
    for (const Case& what : cases.all()) {
        const double off = off_plain(engine, what);
        entries.push_back(time_case(engine, what));
        entries.back().off_plain = off;
    }
    return entries;
}

}  // namespace saccade
