#include "gpu/ops/tiled.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <initializer_list>

#include "gpu/ops/common.h"
#include "gpu/ops/fragments.h"
#include "gpu/products/tile_times.h"
#include "gpu/products/tiles.h"
#include "gpu/recorder/measure.h"

namespace saccade {

namespace {

constexpr size_t most_candidates = 3;                   // those that the tables think best of
constexpr uint64_t most_measured_bytes = 256ull << 20;  // of a factor

std::string joined(std::initializer_list<uint32_t> sizes, const char* between) {
    std::string text;
    for (const uint32_t size : sizes) text += (text.empty() ? "" : between) + std::to_string(size);
    return text;
}

template <typename AnyTile>
std::string name_of_tile(const AnyTile& t) {
    return joined({t.bm, t.bn, t.bk}, "x") + "/" + std::to_string(t.splits);
}
std::string name_of_tile(const MatrixTile& t) {
    return joined({t.bm, t.bn, t.bk, t.wm, t.wn, t.ahead}, "x") + "*" + std::to_string(t.shares) +
           "/" + std::to_string(t.splits);
}

std::string text(const Product& p) { return joined({p.batch, p.rows, p.columns, p.depth}, "x"); }

// Something to multiply. What it holds does not matter.
struct Factors {
    std::vector<Buffer> buffers;
    Tensor x, y;
    Linear w;

    Tensor make(Device& device, uint32_t batch, uint32_t rows, uint32_t columns, Type type) {
        const uint64_t bytes = tensor_bytes(batch, rows, columns, type);
        const Buffer& buffer = buffers.emplace_back(device, "measuring", bytes, Memory::device);
        return make_tensor(buffer.handle(), 0, batch, rows, columns, type);
    }
};
Factors factors_of(Device& device, const Product& p, Type type, Type out, bool in_fragments) {
    Factors made;
    made.x = made.make(device, p.batch, p.rows, p.depth, type);
    made.y = made.make(device, p.batch, p.rows, p.columns, out);
    made.w.weight = make_tensor(nullptr, 0, 1, p.columns, p.depth, type);
    if (in_fragments) {
        const FragmentsSize size = fragments_size(device, made.w.weight);
        made.w.fragments = made.make(device, 1, size.rows, size.columns, type);
    } else {
        made.w.weight = made.make(device, 1, p.columns, p.depth, type);
    }
    return made;
}

void multiply(Commands& c, const Factors& f, const MatrixTile& tile,
              Activation activation = Activation::none, bool add = false) {
    linear_on_matrices(c, f.y, f.x, f.w, activation, add, tile);
}
void multiply(Commands& c, const Factors& f, const ProductTile& tile,
              Activation activation = Activation::none, bool add = false) {
    linear_tiled(c, f.y, f.x, f.w, activation, add, tile);
}

// What a fit of the tables has to know of a tile: see TileTime.
void describe(TileTime& time, const DeviceInfo& device, const MatrixTile& t, uint32_t depth) {
    if (t.splits != 1) return;
    time.shape = joined({t.bm, t.bn, t.bk, t.wm, t.wn, t.ahead, t.shares}, ", ");
    time.of_a_core = load_of(t.groups, t.splits, cores_of(device), depth).of_a_core;
    time.depth = depth;
}
void describe(TileTime&, const DeviceInfo&, const ProductTile&, uint32_t) {}

// Without memory: what it holds does not matter.
Conv2d convolution_of(const ConvolutionSizes& s) {
    Conv2d w;
    w.weight = make_tensor(nullptr, 0, 1, s.columns, s.kernel * s.kernel * padded(s.channels),
                           Type::f16);
    w.in = s.channels;
    w.kernel = {s.kernel, s.kernel};
    w.stride = s.stride;
    w.padding = s.kernel / 2;
    return w;
}

// What is known of a tile before it is measured.
template <typename AnyTile>
TileTime time_of(const char* kernel, const AnyTile& tile, const std::optional<AnyTile>& chosen,
                 Fitted fitted, const DeviceInfo& device, uint32_t depth) {
    TileTime time{.kernel = kernel,
                  .tile = name_of_tile(tile),
                  .expected_us = tile.cost,
                  .fitted = fitted == Fitted::yes};
    time.chosen = time.fitted && chosen && name_of_tile(*chosen) == time.tile;
    describe(time, device, tile, depth);
    return time;
}

// Measures what is in `times` by the ways to do it, in the same order, and sorts it.
void measure(Device& device, std::vector<TileTime>& times, const std::vector<Work>& ways) {
    const std::vector<double> taken = settled_microseconds_of(device, ways);
    for (size_t i = 0; i < times.size(); ++i) times[i].us = taken[i];
    std::ranges::sort(times, {}, &TileTime::us);
}

// The first few of these by what the tables say.
template <typename AnyTile>
std::vector<AnyTile> best_of(std::vector<AnyTile> tiles) {
    std::ranges::stable_sort(tiles, {}, &AnyTile::cost);
    tiles.resize(std::min(tiles.size(), most_candidates));
    return tiles;
}

template <typename AnyTile>
std::optional<AnyTile> fastest(Device& device, const std::string& question,
                               const std::vector<AnyTile>& tiles,
                               const std::function<Factors()>& make) {
    if (tiles.empty()) return std::nullopt;
    std::vector<std::string> names;
    for (const AnyTile& tile : tiles) names.push_back(name_of_tile(tile));
    std::optional<Factors> factors;  // made if something is measured
    return tiles[device.choices().choose(question, names, [&](size_t i) {
        if (!factors) factors = make();
        return microseconds_of(device, [&](Commands& c) { multiply(c, *factors, tiles[i]); });
    })];
}

bool can_be_measured(const Product& p, Type type) {
    return tensor_bytes(p.batch, p.rows, std::max(p.columns, p.depth), type) <=
               most_measured_bytes &&
           tensor_bytes(1, p.columns, p.depth, type) <= most_measured_bytes;
}

}  // namespace

std::optional<MatrixTile> best_matrix_tile(Device& device, const Product& p) {
    if (!device.choices().measures() || p.rows < fewest_matrix_rows ||
        !can_be_measured(p, Type::f16))
        return choose_matrix_tile(device.info(), held_fragments(device), p);
    std::vector<MatrixTile> tiles = best_of(matrix_tiles(device.info(), held_fragments(device), p));
    for (const MatrixTile& tile :
         best_of(matrix_tiles(device.info(), held_fragments(device), p, Fitted::no)))
        tiles.push_back(tile);
    return fastest(device, "matrix f16 " + text(p), tiles,
                   [&] { return factors_of(device, p, Type::f16, Type::f16, true); });
}

std::optional<ProductTile> best_product_tile(Device& device, const Product& p, Type type) {
    if (!device.choices().measures() || !can_be_measured(p, type))
        return choose_product_tile(device.info(), p);
    return fastest(device, std::string("tiled ") + name_of(type) + " " + text(p),
                   best_of(product_tiles(device.info(), p)),
                   [&] { return factors_of(device, p, type, type, false); });
}

std::vector<TileTime> time_tiles(Device& device, Type type, const ProductSizes& s) {
    const Product p{s.batch, s.rows, s.columns, s.depth};
    const Type out = s.add ? Type::f32 : type;
    require(can_be_measured(p, type), "tiles", text(p) + " is too large to be tried");
    std::vector<TileTime> times;
    std::vector<Work> ways;
    const auto add = [&](const char* kernel, const auto& tiles, const auto& chosen,
                         const Factors& factors, Fitted fitted) {
        for (const auto& tile : tiles) {
            times.push_back(time_of(kernel, tile, chosen, fitted, device.info(), s.depth));
            ways.emplace_back([&factors, tile, &s](Commands& c) {
                multiply(c, factors, tile, s.activation, s.add);
            });
        }
    };
    const auto matrix = choose_matrix_tile(device.info(), held_fragments(device), p);
    Factors by_fragments;
    if (type == Type::f16 &&
        fragments_size(device, make_tensor(nullptr, 0, 1, s.columns, s.depth, type))) {
        by_fragments = factors_of(device, p, type, out, true);
        for (const Fitted fitted : {Fitted::yes, Fitted::no})
            add("linear.coopmat", matrix_tiles(device.info(), held_fragments(device), p, fitted),
                matrix, by_fragments, fitted);
    }
    const auto tiled = matrix ? std::nullopt : choose_product_tile(device.info(), p);
    const Factors by_rows = factors_of(device, p, type, out, false);
    add("linear.tiled", product_tiles(device.info(), p), tiled, by_rows, Fitted::yes);
    measure(device, times, ways);
    return times;
}

Size ConvolutionSizes::out_size() const { return convolution_of(*this).out_size(size); }

std::vector<TileTime> time_convolution(Device& device, const ConvolutionSizes& s) {
    Conv2d w = convolution_of(s);
    const uint32_t depth = w.weight.columns;
    const Product p{1, area(w.out_size(s.size)), s.columns, depth};
    require(can_be_measured(p, Type::f16) &&
                can_be_measured({1, area(s.size), s.channels, s.channels}, Type::f16),
            "tiles", "such a convolution is too large to be tried");
    const FragmentsSize held = fragments_size(device, w.weight);
    if (!held) return {};
    Factors memory;
    const Tensor x = memory.make(device, 1, area(s.size), s.channels, Type::f16);
    const Tensor y = memory.make(device, 1, p.rows, s.columns, Type::f16);
    w.bias = memory.make(device, 1, 1, s.columns, Type::f32);
    w.fragments = memory.make(device, 1, held.rows, held.columns, Type::f16);

    const auto chosen = choose_matrix_tile(device.info(), held_fragments(device), p);
    std::vector<TileTime> times;
    std::vector<Work> ways;
    for (const Fitted fitted : {Fitted::yes, Fitted::no})
        for (const MatrixTile& t : matrix_tiles(device.info(), held_fragments(device), p, fitted)) {
            times.push_back(time_of("conv2d.coopmat", t, chosen, fitted, device.info(), depth));
            ways.emplace_back([&, t](Commands& c) {
                conv2d_on_matrices(c, y, x, s.size, w, s.activation, s.add, t);
            });
        }
    measure(device, times, ways);
    return times;
}

std::vector<std::string> fitted_rows(std::span<const TileTime> times) {
    std::vector<std::string> shapes;
    for (const TileTime& t : times)
        if (!t.shape.empty() && t.us > 0 && std::ranges::find(shapes, t.shape) == shapes.end())
            shapes.push_back(t.shape);
    std::vector<std::string> rows;
    for (const std::string& shape : shapes) {
        std::vector<TimedLoad> loads;
        for (const TileTime& t : times)
            if (t.shape == shape && t.us > 0)
                loads.push_back({{t.of_a_core, double(t.depth)}, t.us});
        const Times fit = fitted_times(loads);
        double off = 0;
        for (const TimedLoad& l : loads)
            off = std::max(off, std::abs(cost_of(fit, l.load) / l.us - 1));
        char text[128];
        std::snprintf(text, sizeof text,
                      "{%s, {%.1f, %.1f, %.1f}},  // %zu products, within %.0f %%", shape.c_str(),
                      fit.alone, fit.each, fit.out, loads.size(), 100 * off);
        rows.emplace_back(text);
    }
    return rows;
}

std::vector<TileTime> time_attention(Device& device, const AttentionSizes& s) {
    const AttentionShape shape{s.queries, s.keys, s.head};
    const auto chosen = choose_attention_tile(device.info(), shape, s.heads * s.batch);
    const uint32_t columns = s.heads * s.head;
    require(std::max(tensor_bytes(s.batch, s.queries, columns, Type::f16),
                     tensor_bytes(s.batch, s.keys, columns, Type::f16)) <= most_measured_bytes,
            "tiles", "such an attention is too large to be tried");
    Factors memory;
    const Tensor q = memory.make(device, s.batch, s.queries, columns, Type::f16);
    const Tensor k = memory.make(device, s.batch, s.keys, columns, Type::f16);
    const Tensor v = memory.make(device, s.batch, s.keys, columns, Type::f16);
    const Tensor y = memory.make(device, s.batch, s.queries, columns, Type::f16);
    std::vector<TileTime> times;
    std::vector<Work> ways;
    for (const AttentionTile& t : attention_tiles(device.info(), shape)) {
        const std::string name = std::to_string(t.query_groups) + "x" +
                                 std::to_string(t.key_groups) + ", rounds of " +
                                 std::to_string(16 * t.blocks()) +
                                 (t.online || 16 * t.blocks() >= s.keys ? ", once" : ", twice");
        times.push_back({.kernel = "attention.coopmat", .tile = name, .chosen = chosen == t});
        ways.emplace_back([&, t](Commands& c) {
            attention_on_matrices(c, y, q, k, v, {s.heads, 0.125f}, t);
        });
    }
    measure(device, times, ways);
    return times;
}

}  // namespace saccade
