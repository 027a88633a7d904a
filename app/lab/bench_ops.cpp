#include "app/lab/bench_ops.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

#include "gpu/download.h"
#include "gpu/error.h"
#include "gpu/ops.h"
#include "models/half.h"

namespace saccade {

namespace {

// Random numbers on the device, in buffers of their own.
class Inputs {
public:
    explicit Inputs(Engine& engine) : engine_(engine) {}

    Tensor random(uint32_t batch, uint32_t rows, uint32_t columns, Type type, float scale = 1.0f) {
        const uint64_t bytes = tensor_bytes(batch, rows, columns, type);
        Buffer staging(engine_.device(), "bench staging", bytes, Memory::upload);
        const uint32_t stride = padded(columns);
        for (uint64_t row = 0; row < uint64_t(batch) * rows; ++row)
            for (uint32_t j = 0; j < stride; ++j) {
                const float value = j < columns ? scale * uniform_(random_) : 0.0f;
                const uint64_t at = row * stride + j;
                if (type == Type::f16) {
                    const uint16_t half = half_from_float(value);
                    std::memcpy(&staging.mapped()[at * 2], &half, 2);
                } else {
                    std::memcpy(&staging.mapped()[at * 4], &value, 4);
                }
            }
        staging.flush();
        buffers_.emplace_back(engine_.device(), "bench input", bytes, Memory::device);
        const Tensor from = make_tensor(staging.handle(), 0, batch, rows, columns, type);
        const Tensor to = make_tensor(buffers_.back().handle(), 0, batch, rows, columns, type);
        Commands c(engine_.device(), engine_.scratch(), "bench upload");
        c.begin();
        c.copy_bytes(from, to);
        c.end();
        c.run();
        return to;
    }

private:
    Engine& engine_;
    std::vector<Buffer> buffers_;
    std::mt19937 random_{1};
    std::uniform_real_distribution<float> uniform_{-1.0f, 1.0f};
};

struct Case {
    std::string name;
    double flops;
    std::function<Tensor(Commands&)> record;
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

double difference(const std::vector<float>& a, const std::vector<float>& b) {
    double worst = 0, largest = 1e-30;
    for (size_t i = 0; i < a.size(); ++i) {
        if (!std::isfinite(a[i])) return INFINITY;
        worst = std::max(worst, std::abs(double(a[i]) - double(b[i])));
        largest = std::max(largest, std::abs(double(b[i])));
    }
    return worst / largest;
}

double milliseconds(Engine& engine, const Case& what) {
    const int repeats = what.flops > 1e11 ? 3 : 20;
    Commands c(engine.device(), engine.scratch(), "bench op");
    c.begin();
    {
        auto scope = c.scope("op");
        for (int i = 0; i < repeats; ++i) {
            auto one = c.scope("once");  // gives the result's memory back: the next waits for it
            what.record(c);
        }
    }
    c.end();
    // A GPU that has idled runs slowly at first: it is woken up for as long as it takes.
    const auto begin = std::chrono::steady_clock::now();
    while (!engine.device().is_cpu() &&
           std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(100))
        c.run();
    std::vector<double> ms;
    for (int i = 0; i < (engine.device().is_cpu() ? 3 : 9); ++i) {
        c.run();
        if (c.times().empty()) throw Error("this device has no timestamps");
        ms.push_back(c.times().front().ms / repeats);
    }
    std::ranges::sort(ms);
    return ms[ms.size() / 2];
}

}  // namespace

std::string bench_ops(Engine& engine) {
    Inputs inputs(engine);
    std::vector<Case> cases;
    const Type type = engine.precision();
    auto add_linear = [&](uint32_t m, uint32_t n, uint32_t k) {
        const Tensor x = inputs.random(1, m, k, type);
        const Linear w{inputs.random(1, n, k, type, 1.0f / std::sqrt(float(k))),
                       inputs.random(1, 1, n, Type::f32)};
        cases.push_back(
            {"linear " + std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k),
             2.0 * m * n * k, [=](Commands& c) { return linear(c, x, w); }});
    };
    auto add_conv = [&](Extent size, uint32_t in, uint32_t out, uint32_t kernel, uint32_t stride) {
        Conv2d w{{}, {}, in, {kernel, kernel}, stride, kernel / 2, 1};
        const Extent out_size = w.out_size(size);
        w.weight = inputs.random(1, out, kernel * kernel * padded(in), type,
                                 1.0f / std::sqrt(float(kernel * kernel * in)));
        w.bias = inputs.random(1, 1, out, Type::f32);
        const Tensor x = inputs.random(1, size.area(), in, type);
        cases.push_back({"conv2d " + std::to_string(size.height) + "x" +
                             std::to_string(size.width) + " " + std::to_string(in) + "->" +
                             std::to_string(out) + " " + std::to_string(kernel) + "x" +
                             std::to_string(kernel) + "/" + std::to_string(stride),
                         2.0 * out_size.area() * out * kernel * kernel * in,
                         [=](Commands& c) { return conv2d(c, x, size, w, Activation::relu); }});
    };
    auto add_attention = [&](uint32_t queries, uint32_t keys, uint32_t heads, uint32_t size) {
        const Tensor q = inputs.random(1, queries, heads * size, type),
                     k = inputs.random(1, keys, heads * size, type),
                     v = inputs.random(1, keys, heads * size, type);
        const Heads shape{heads, 1.0f / std::sqrt(float(size))};
        cases.push_back({"attention " + std::to_string(queries) + "x" + std::to_string(keys) + " " +
                             std::to_string(heads) + " heads of " + std::to_string(size),
                         4.0 * queries * keys * heads * size,
                         [=](Commands& c) { return attention(c, q, k, v, shape); }});
    };
    auto add_norm = [&](uint32_t rows, uint32_t columns) {
        const Tensor x = inputs.random(1, rows, columns, Type::f32);
        const Norm w{inputs.random(1, 1, columns, Type::f32),
                     inputs.random(1, 1, columns, Type::f32), 1e-6f};
        cases.push_back({"layer_norm " + std::to_string(rows) + "x" + std::to_string(columns),
                         8.0 * rows * columns,
                         [=](Commands& c) { return layer_norm(c, x, w, type); }});
    };
    // ViT-B
    add_linear(197, 2304, 768);
    add_linear(197, 768, 768);
    add_linear(197, 3072, 768);
    add_linear(197, 768, 3072);
    add_attention(197, 197, 12, 64);
    add_norm(197, 768);
    if (!engine.device().is_cpu()) {
        add_linear(12608, 3072, 768);
        add_linear(12608, 768, 3072);
        add_linear(8192, 8192, 8192);
        // DETR-R50 at 800 x 1066
        add_conv({800, 1066}, 3, 64, 7, 2);
        add_conv({200, 267}, 64, 64, 1, 1);
        add_conv({200, 267}, 64, 64, 3, 1);
        add_conv({200, 267}, 64, 256, 1, 1);
        add_conv({200, 267}, 256, 64, 1, 1);
        add_conv({200, 267}, 128, 128, 3, 2);
        add_conv({100, 134}, 128, 128, 3, 1);
        add_conv({50, 67}, 256, 256, 3, 1);
        add_conv({25, 34}, 512, 512, 3, 1);
        add_conv({25, 34}, 2048, 512, 1, 1);
        add_linear(850, 256, 256);
        add_linear(850, 2048, 256);
        add_linear(850, 256, 2048);
        add_attention(850, 850, 8, 32);
        add_attention(100, 850, 8, 32);
        // YOLOS-Ti at 512 x 672
        add_attention(1445, 1445, 3, 64);
    }

    char line[160];
    std::string text = engine.device().info().name + ", " + engine.device().info().driver + ", " +
                       (type == Type::f16 ? "fp16" : "fp32") + "\n";
    std::snprintf(line, sizeof line, "%-40s %10s %10s %14s\n", "operation", "ms", "TFLOP/s",
                  "off the plain");
    text += line;
    for (const Case& what : cases) {
        const double off =
            difference(result_of(engine, what, false), result_of(engine, what, true));
        const double ms = milliseconds(engine, what);
        std::snprintf(line, sizeof line, "%-40s %10.4f %10.3f %14.1e\n", what.name.c_str(), ms,
                      what.flops / ms * 1e-9, off);
        text += line;
    }
    return text;
}

}  // namespace saccade
