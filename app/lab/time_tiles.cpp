#include "app/lab/time_tiles.h"

#include <algorithm>
#include <optional>

#include "gpu/ops/attention/attention_tile.h"
#include "gpu/ops/common.h"
#include "gpu/ops/products/kernels.h"
#include "gpu/ops/products/tile_cost.h"
#include "gpu/ops/products/tile_trial.h"
#include "gpu/recorder/measure.h"

namespace saccade {

namespace {

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
    w.weight =
        make_tensor(nullptr, 0, 1, s.columns, s.kernel * s.kernel * padded(s.channels), Type::f16);
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

}  // namespace

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
                multiply_by_tile(c, factors, tile, s.activation, s.add);
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
                conv2d_on_matrices(c, y, x, s.size, w, {s.activation, s.add}, t);
            });
        }
    measure(device, times, ways);
    return times;
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
            attention_on_matrices(c, y, {q, k, v}, {s.heads, 0.125f}, t);
        });
    }
    measure(device, times, ways);
    return times;
}

}  // namespace saccade
