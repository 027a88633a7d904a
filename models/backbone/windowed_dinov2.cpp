#include "models/backbone/windowed_dinov2.h"

#include <algorithm>
#include <cmath>

#include "gpu/core/error.h"

namespace saccade {

namespace {

// A linear layer with LayerScale folded in.
Linear load_scaled(WeightLoader& weights, const std::string& name, const std::string& scale,
                   uint32_t out, uint32_t in, uint32_t in_head) {
    HostConvolution host{weights.floats(name + ".weight", {out, in}),
                         weights.floats(name + ".bias", {out})};
    const std::vector<float> lambda = weights.floats(scale + ".lambda1", {out});
    for (size_t i = 0; i < host.weight.size(); ++i) host.weight[i] *= lambda[i / in];
    for (size_t i = 0; i < out; ++i) host.bias[i] *= lambda[i];
    if (in_head == 0) return weights.linear(host, in);
    const std::vector<uint32_t> heads(in / in_head, in_head);
    return weights.linear(with_gaps(host, heads, 1), merged(heads));
}

}  // namespace

WindowedDinov2::WindowedDinov2(WeightLoader& weights, const WindowedDinov2Config& config,
                               const std::string& prefix)
    : config_(config), start_(weights.device(), "DINOv2 positions") {
    const uint32_t dim = config.hidden, patch = config.patch;
    const std::string embeddings = prefix + ".embeddings.";
    patch_embedding_ =
        weights.linear(embeddings + "patch_embeddings.projection",
                       {.out = dim, .in = 3 * patch * patch, .stored = {dim, 3, patch, patch}});
    const uint32_t places = 1 + config.grid * config.grid;
    stored_positions_ = weights.floats(embeddings + "position_embeddings", {1, places, dim});
    class_token_ = weights.floats(embeddings + "cls_token", {1, 1, dim});
    for (uint32_t i = 0; i < dim; ++i) class_token_[i] += stored_positions_[i];
    for (uint32_t i = 0; i < config.stages.back(); ++i)
        blocks_.push_back(load_block(weights, prefix + ".encoder.layer." + std::to_string(i)));
    if (config.final_norm) norm_ = weights.norm(prefix + ".layernorm", dim, config.norm_eps);
}

WindowedDinov2::Block WindowedDinov2::load_block(WeightLoader& weights,
                                                 const std::string& prefix) const {
    const uint32_t dim = config_.hidden, head = dim / config_.heads;
    const std::string self = prefix + ".attention.attention.";
    const std::string qkv[] = {self + "query", self + "key", self + "value"};
    return {
        .qkv = weights.norm_linear(
            prefix + ".norm1", config_.norm_eps, qkv,
            {.out = dim, .in = dim, .out_head = head, .bias = config_.qkv_bias}),
        .fc1 = weights.norm_linear(prefix + ".norm2", config_.norm_eps, prefix + ".mlp.fc1",
                                   {.out = config_.intermediate, .in = dim}),
        .out = load_scaled(weights, prefix + ".attention.output.dense", prefix + ".layer_scale1",
                           dim, dim, head),
        .fc2 = load_scaled(weights, prefix + ".mlp.fc2", prefix + ".layer_scale2", dim,
                           config_.intermediate, 0),
    };
}

Heads WindowedDinov2::heads() const {
    return {config_.heads, 1.0f / std::sqrt(static_cast<float>(config_.hidden / config_.heads))};
}

void WindowedDinov2::prepare(Size picture) {
    const Size grid = grid_of(picture);
    const uint32_t step = config_.patch * config_.windows;
    if (picture.x % step != 0 || picture.y % step != 0 || area(grid) == 0)
        throw Error("this model splits pictures into " + std::to_string(config_.windows) + "x" +
                    std::to_string(config_.windows) + " windows; both sides must be multiples of " +
                    std::to_string(step));
    start_.prepare(grid, 1, window_count() + area(grid), config_.hidden,
                   [&](uint32_t) { return start_of(grid); });
}

// The tokens before the patches are added: for each window its class token, then the position
// embeddings of its cells. As in transformers, rows of the picture are counted by a window's width
// and columns by its height, which is the same for squares.
std::vector<float> WindowedDinov2::start_of(Size grid) const {
    const uint32_t n = config_.windows, dim = config_.hidden;
    const Size part = grid / n;
    const std::span<const float> stored = std::span(stored_positions_).subspan(dim);
    const std::vector<float> cells =
        grid == Size(config_.grid)
            ? std::vector<float>(stored.begin(), stored.end())
            : resize_bicubic_antialiased(stored, dim, {config_.grid, config_.grid}, grid);
    std::vector<float> start;
    for (uint32_t window = 0; window < n * n; ++window) {
        start.insert(start.end(), class_token_.begin(), class_token_.end());
        for (uint32_t line = 0; line < part.x; ++line) {
            const auto from = cells.begin() + first_cell(grid, window, line) * dim;
            start.insert(start.end(), from, from + part.y * dim);
        }
    }
    return start;
}

// The first cell, in the order of the picture, of a row of a window.
uint32_t WindowedDinov2::first_cell(Size grid, uint32_t window, uint32_t line) const {
    const uint32_t n = config_.windows;
    const Size part = grid / n;
    return ((window / n * part.x + line) * n + window % n) * part.y;
}

// Patch and position embeddings, split into windows, each beginning with a class token.
Tensor WindowedDinov2::embed(Commands& c, const Tensor& patches, Size grid) const {
    const uint32_t batch = patches.batch, count = window_count();
    const Size part = grid / config_.windows;
    const Tensor z = c.scratch(batch * count, 1 + area(part), config_.hidden, Type::f32);
    auto scope = c.scope("embed");
    Tensor pictures = z;
    pictures.batch = batch;
    pictures.rows *= count;
    pictures.batch_stride *= count;
    copy(c, pictures, start_[0]);
    // The rows of a window as batches: they are contiguous in the window, but not in the picture.
    for (uint32_t i = 0; i < z.batch; ++i) {
        Tensor x = patches.at_batch(i / count).slice_rows(first_cell(grid, i % count, 0), part.y);
        Tensor y = z.at_batch(i).slice_rows(1, part.y);
        x.batch = y.batch = part.x;
        x.batch_stride = config_.windows * part.y * x.row_stride;
        y.batch_stride = part.y * y.row_stride;
        linear_add(c, y, x, patch_embedding_);
    }
    return z;
}

std::vector<WindowedDinov2::Lines> WindowedDinov2::window_lines(const Tensor& windows,
                                                                const Tensor& y, Size grid) const {
    const uint32_t n = config_.windows, count = window_count();
    const Size part = grid / n;
    std::vector<Lines> all;
    for (uint32_t i = 0; i < windows.batch; ++i) {
        const Size corner = Size(i % n, i % count / n) * part;
        Tensor from = windows.at_batch(i).slice_rows(1, part.x);
        Tensor to = y.at_batch(i / count).slice_rows(corner.y * grid.x + corner.x, part.x);
        from.batch = to.batch = part.y;
        from.batch_stride = part.x * from.row_stride;
        to.batch_stride = grid.x * to.row_stride;
        all.push_back({from, to});
    }
    return all;
}

void WindowedDinov2::join_into(Commands& c, const Tensor& y, const Tensor& windows,
                               Size grid) const {
    for (const auto& [from, to] : window_lines(windows, y, grid)) copy(c, to, from);
}

// z' = MSA(LN(z)) + z,  z = MLP(LN(z')) + z'
void WindowedDinov2::block(Commands& c, ResidualStream& z, const Block& w, uint32_t layer,
                           Size grid, Tap& tap, Parts& parts) const {
    const uint32_t windows = z.sums().batch;
    {
        auto scope = c.scope("attend");
        if (config_.whole[layer]) z.cut(windows / window_count());
        const Tensor qkv = z.norm_linear(c, w.qkv);
        const uint32_t dim = qkv.columns / 3;
        const Tensor q = qkv.slice_columns(0, dim), k = qkv.slice_columns(dim, dim);
        look_into(c, q, k, layer, grid, tap, parts);
        z.add(c, attention(c, q, k, qkv.slice_columns(2 * dim, dim), heads()), w.out);
        z.cut(windows);
    }
    auto scope = c.scope("mlp");
    z.add(c, z.norm_linear(c, w.fc1, config_.activation), w.fc2);
}

void WindowedDinov2::look_into(Commands& c, const Tensor& q, const Tensor& k, uint32_t layer,
                               Size grid, Tap& tap, Parts& parts) const {
    if (parts.wanted()) {
        const std::string name = config_.whole[layer] ? "whole" : "window";
        parts.keep(c, name + "_q", q, {layer, 0});
        parts.keep(c, name + "_k", k, {layer, 0});
    }
    if (!tap.wants(layer)) return;
    const bool whole = config_.whole[layer];
    const Size part = grid / config_.windows;
    if (!whole && part.x != part.y)
        throw Error("layer " + std::to_string(layer) +
                    " of the backbone has window attention, whose maps are available for square "
                    "pictures only; choose a layer with global attention");
    // In the order of the picture: cells first, then the windows' class tokens.
    auto scope = c.scope("tap");
    const uint32_t count = window_count(), each = 1 + area(part);
    const uint32_t batch = whole ? q.batch : q.batch / count;
    auto ordered = [&](const Tensor& t) {
        Tensor windows = t, picture = t;  // two views of the same rows
        windows.batch = batch * count;
        windows.rows = each;
        windows.batch_stride = each * t.row_stride;
        picture.batch = batch;
        picture.rows = count * each;
        picture.batch_stride = picture.rows * t.row_stride;
        const Tensor y = c.scratch(batch, picture.rows, t.columns, t.type);
        join_into(c, y.slice_rows(0, area(grid)), windows, grid);
        for (uint32_t i = 0; i < count; ++i)
            copy(c, y.slice_rows(area(grid) + i, 1), picture.slice_rows(i * each, 1));
        return y;
    };
    std::optional<Windows> windows;
    if (!whole) windows = {.map = grid, .window = part.x, .bias = {}, .class_tokens = true};
    tap.attention(c, layer, ordered(q), ordered(k), heads(), windows);
}

Tensor WindowedDinov2::windows(Commands& c, uint32_t batch, Size picture, Type type) const {
    const Size part = grid_of(picture) / config_.windows;
    return c.scratch(batch * window_count(), 1 + area(part),
                     static_cast<uint32_t>(config_.stages.size()) * padded(config_.hidden), type);
}

void WindowedDinov2::forward(Commands& c, const Tensor& y, const Tensor& patches, Size picture,
                             Tap& tap, Parts& parts) const {
    const Size grid = grid_of(picture);
    if (start_.grid() != grid || patches.rows != area(grid))
        throw Error("the backbone was not prepared for patches " + patches.shape());
    auto scope = c.scope("DINOv2");
    const Tensor z = embed(c, patches, grid);
    ResidualStream stream(c, z, patch_embedding_.weight.type);
    uint32_t stage = 0;
    for (uint32_t i = 0; i <= blocks_.size(); ++i) {
        if (stage < config_.stages.size() && config_.stages[stage] == i) {
            auto handing = c.scope("stage");
            const Tensor column = y.slice_columns(stage * padded(config_.hidden), config_.hidden);
            if (config_.final_norm)
                layer_norm_into(c, column, z, norm_);
            else
                copy(c, column, z);
            if (parts.wanted()) {
                const Tensor map = c.scratch(patches.batch, area(grid), config_.hidden, y.type);
                join_into(c, map, column, grid);
                parts.keep(c, "backbone_" + std::to_string(stage), map, grid);
            }
            ++stage;
        }
        if (i < blocks_.size()) block(c, stream, blocks_[i], i, grid, tap, parts);
    }
}

double WindowedDinov2::multiply_adds(Size picture) const {
    const double n = area(grid_of(picture)) + window_count(), dim = config_.hidden;
    double total = area(grid_of(picture)) * dim * 3 * config_.patch * config_.patch;
    for (size_t i = 0; i < blocks_.size(); ++i) {
        const double keys = config_.whole[i] ? n : n / window_count();
        total += n * (4 * dim * dim + 2 * keys * dim + 2 * dim * config_.intermediate);
    }
    return total;
}

}  // namespace saccade
