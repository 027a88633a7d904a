#include "models/classification/swin.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "gpu/core/error.h"
#include "gpu/ops/maps.h"

namespace saccade {

namespace {

constexpr float embedding_eps = 1e-5f;  // of norms to which layer_norm_eps does not apply

// V2, eq. 4: continuous position bias. Offsets from -(window - 1) to window - 1 become log-spaced
// coordinates, and an MLP of two layers computes a bias per head: (heads, (2 window - 1)^2).
std::vector<float> continuous_bias(WeightLoader& weights, const std::string& in,
                                   const SwinConfig::Stage& stage) {
    constexpr uint32_t hidden = 512;
    const auto first = weights.floats(in + "continuous_position_bias_mlp.0.weight", {hidden, 2});
    const auto shift = weights.floats(in + "continuous_position_bias_mlp.0.bias", {hidden});
    const auto second =
        weights.floats(in + "continuous_position_bias_mlp.2.weight", {stage.heads, hidden});
    const int reach = static_cast<int>(stage.window) - 1;
    const uint32_t measure = stage.pretrained_window ? stage.pretrained_window : stage.window;
    auto coordinate = [&](int distance) {
        const float part =
            static_cast<float>(distance) / static_cast<float>(std::max(measure, 2u) - 1) * 8;
        return std::copysign(std::log2(std::abs(part) + 1) / 3.0f, part);
    };
    const size_t wide = 2 * size_t(reach) + 1;
    std::vector<float> bias(stage.heads * wide * wide), inner(hidden);
    for (int y = -reach; y <= reach; ++y)
        for (int x = -reach; x <= reach; ++x) {
            for (uint32_t i = 0; i < hidden; ++i)
                inner[i] = std::max(
                    first[2 * i] * coordinate(y) + first[2 * i + 1] * coordinate(x) + shift[i],
                    0.0f);
            for (uint32_t head = 0; head < stage.heads; ++head) {
                float sum = 0;
                for (uint32_t i = 0; i < hidden; ++i) sum += second[head * hidden + i] * inner[i];
                bias[(head * wide + size_t(y + reach)) * wide + size_t(x + reach)] =
                    16 / (1 + std::exp(-sum));
            }
        }
    return bias;
}

// V1: a learned table ((2 window - 1)^2, heads), transposed.
std::vector<float> learned_bias(WeightLoader& weights, const std::string& in,
                                const SwinConfig::Stage& stage) {
    const uint32_t wide = 2 * stage.window - 1, places = wide * wide;
    const std::vector<float> table =
        weights.floats(in + "relative_position_bias_table", {places, stage.heads});
    std::vector<float> bias(table.size());
    for (size_t i = 0; i < table.size(); ++i)
        bias[i % stage.heads * places + i / stage.heads] = table[i];
    return bias;
}

}  // namespace

Swin::Swin(WeightLoader& weights, const SwinConfig& config) : config_(config) {
    const uint32_t dim = config.stages.front().dim;
    // A file with the backbone only has no prefix.
    if (weights.source().optional("embeddings.norm.weight", {dim})) config_.prefix.clear();
    const std::string& in = config_.prefix;
    patch_embedding_ = weights.linear(in + "embeddings.patch_embeddings.projection",
                                      {.out = dim,
                                       .in = 3 * area(config.patch),
                                       .stored = {dim, 3, config.patch.y, config.patch.x}});
    embedding_norm_ = weights.norm(in + "embeddings.norm", dim, embedding_eps);
    const uint32_t cells = area(config.image / config.patch);
    if (config.absolute_positions)
        positions_ = weights.tensor(in + "embeddings.position_embeddings", {1, cells, dim}, cells,
                                    dim, Type::f32);
    for (uint32_t i = 0; i < config.stages.size(); ++i) {
        const SwinConfig::Stage& stage = config.stages[i];
        const std::string layer = in + "encoder.layers." + std::to_string(i);
        blocks_.emplace_back();
        for (uint32_t j = 0; j < stage.depth; ++j)
            blocks_.back().push_back(
                load_block(weights, layer + ".blocks." + std::to_string(j), stage));
        if (i + 1 == config.stages.size()) break;
        const uint32_t four = 4 * stage.dim, two = 2 * stage.dim;
        mergings_.push_back({.norm = weights.norm(layer + ".downsample.norm",
                                                  config.second ? two : four, embedding_eps),
                             .reduction = weights.linear(layer + ".downsample.reduction",
                                                         {.out = two, .in = four, .bias = false})});
    }
    const uint32_t last = config.stages.back().dim;
    norm_ = weights.norm(in + "layernorm", last, config.norm_eps);
    if (!config.labels.empty())
        head_ = weights.linear(
            "classifier",
            {.out = static_cast<uint32_t>(config.labels.size()), .in = last, .rows = Rows::any});
    grid_ = (config.image + config.patch - 1u) / config.patch;
}

Swin::Block Swin::load_block(WeightLoader& weights, const std::string& in,
                             const Stage& stage) const {
    const std::string self = in + ".attention.self.";
    const std::array<std::string, 3> qkv = {self + "query", self + "key", self + "value"};
    const uint32_t dim = stage.dim, head = dim / stage.heads, inner = config_.inner(stage);
    Block block{
        .norm1 = weights.norm(in + ".layernorm_before", dim, config_.norm_eps),
        .norm2 = weights.norm(in + ".layernorm_after", dim, config_.norm_eps),
        .qkv = weights.stacked(qkv, {.out = dim,
                                     .in = dim,
                                     .out_head = head,
                                     .bias = config_.qkv_bias,
                                     .biased = {true, !config_.second, true}}),
        .out = weights.linear(in + ".attention.output.dense",
                              {.out = dim, .in = dim, .in_head = head}),
        .fc1 = weights.linear(in + ".intermediate.dense", {.out = inner, .in = dim}),
        .fc2 = weights.linear(in + ".output.dense", {.out = dim, .in = inner}),
        .bias = {},
        .scales = {},
    };
    const uint32_t wide = 2 * stage.window - 1;
    block.bias = weights.table(
        config_.second ? continuous_bias(weights, self, stage) : learned_bias(weights, self, stage),
        stage.heads, wide * wide);
    if (config_.second) {
        std::vector<float> scales = weights.floats(self + "logit_scale", {stage.heads, 1, 1});
        for (float& scale : scales) scale = std::exp(std::min(scale, std::log(100.0f)));
        block.scales = weights.table(scales, 1, stage.heads);
    }
    return block;
}

const SwinConfig::Stage& Swin::stage_of(uint32_t layer) const {
    for (const Stage& stage : config_.stages) {
        if (layer < stage.depth) return stage;
        layer -= stage.depth;
    }
    throw Error("there is no layer " + std::to_string(layer));
}

std::vector<uint32_t> Swin::layers_of_stages() const {
    std::vector<uint32_t> layers;
    for (const Stage& stage : config_.stages) layers.push_back(stage.depth);
    return layers;
}

void Swin::prepare(Size picture) {
    grid_ = picture / config_.patch;
    if (positions_ && area(grid_) != positions_.rows)
        throw Error("this model has positions for pictures of " + std::to_string(config_.image.x) +
                    "x" + std::to_string(config_.image.y) +
                    " only: preprocessor_config.json makes another size");
    Size map = grid_;
    for (const Stage& stage : config_.stages) {
        if (!config_.second && std::min(map.x, map.y) < stage.window)
            throw Error("pictures of " + std::to_string(picture.x) + "x" +
                        std::to_string(picture.y) + " are too small for windows of " +
                        std::to_string(stage.window) + "x" + std::to_string(stage.window) +
                        " cells: preprocessor_config.json must make larger ones");
        map = (map + 1u) / 2u;
    }
}

Windows Swin::windows_of(const Stage& stage, const Block& block, Size map, bool odd) const {
    // V1 does not shift windows that span the map; V2 decides by image_size.
    const bool shifted = config_.second ? stage.shifted : std::min(map.x, map.y) > stage.window;
    return {.map = map,
            .window = stage.window,
            .shift = odd && shifted ? stage.window / 2 : 0,
            .bias = block.bias,
            .scales = block.scales,
            .mask = config_.second ? -200.0f : -100.0f};  // V2 adds it twice
}

// Zeroes the cells that pad the map to whole windows, before q, k and v are computed.
void Swin::clear_padding(Commands& c, const Tensor& y, Size map) const {
    if (y.rows == area(map)) return;
    const Tensor row = y.slice_rows(area(map), 1);
    // All of y counts as written, because the hazard tracking knows whole tensors only.
    copy_strided(c, y,
                 {{1, row.batch, 1, padded(row.columns)}, {0, row.batch_stride, 0, 1}, row.offset},
                 norm_.weight, Stored::f32, {{0, 0, 0, 0}, {0, 0, 0, 0}, 0});
}

Swin::Stream Swin::stream(Commands& c, uint32_t batch, Size map, const Stage& stage) const {
    const Windows windows{.map = map, .window = stage.window, .bias = {}};
    Stream s{.map = map, .padded = windows.padded(), .z = {}, .y = {}};
    const uint32_t rows = area(map) + (s.padded ? 1 : 0);
    const bool twice = config_.second && input_type() != Type::f32;
    s.z = c.scratch(batch, config_.second ? rows : area(map), stage.dim, Type::f32);
    s.y = !config_.second ? Tensor()
          : twice         ? c.scratch(batch, rows, stage.dim, input_type())
                          : s.z;
    if (config_.second) clear_padding(c, s.y, map);
    return s;
}

// z = LN(x_p E)
Swin::Stream Swin::embed(Commands& c, const Tensor& patches) const {
    const Stream s = stream(c, patches.batch, grid_, config_.stages.front());
    auto scope = c.scope("embed");
    const Tensor e = c.scratch(patches.batch, patches.rows, s.z.columns, Type::f32);
    linear_into(c, e, patches, patch_embedding_);
    layer_norm_into(c, s.cells(), e, embedding_norm_);
    if (positions_) add_into(c, s.cells(), s.cells(), positions_);
    if (s.y && s.y.type != Type::f32) copy(c, s.y.slice_rows(0, area(s.map)), s.cells());
    return s;
}

// V1: z' = z + (S)W-MSA(LN(z))        V2: z' = z + LN((S)W-MSA(z))                     (eq. 3)
void Swin::attend(Commands& c, const Stream& s, const Stage& stage, const Block& w, uint32_t layer,
                  bool odd, Tap& tap) const {
    auto scope = c.scope("attend");
    const uint32_t cells = area(s.map);
    Tensor y = s.y;
    if (!config_.second) {
        y = c.scratch(s.z.batch, cells + (s.padded ? 1 : 0), stage.dim, input_type());
        clear_padding(c, y, s.map);
        layer_norm_into(c, y.slice_rows(0, cells), s.z, w.norm1);
    }
    const Tensor qkv = linear(c, y, w.qkv);
    const uint32_t dim = qkv.columns / 3;
    const Tensor q = qkv.slice_columns(0, dim);
    const Tensor k = qkv.slice_columns(dim, dim);
    const Tensor v = qkv.slice_columns(2 * dim, dim);
    const Heads heads{stage.heads, 1.0f / std::sqrt(static_cast<float>(stage.dim / stage.heads))};
    const Windows windows = windows_of(stage, w, s.map, odd);
    tap.attention(c, layer, q, k, heads, windows);
    tap.values(c, layer, v);
    const Tensor seen = tap.heads(c, layer, window_attention(c, q, k, v, heads, windows), heads);
    if (!config_.second) {
        linear_add(c, s.z, seen, w.out);
        return;
    }
    const Tensor out = c.scratch(s.z.batch, cells, stage.dim, Type::f32);
    linear_into(c, out, seen, w.out);
    norm_add(c, s.cells(), out, w.norm1,
             s.y.type == Type::f32 ? Tensor() : s.y.slice_rows(0, cells));
}

// V1: z = z' + MLP(LN(z'))            V2: z = z' + LN(MLP(z'))
void Swin::mlp(Commands& c, const Stream& s, const Block& w) const {
    auto scope = c.scope("mlp");
    const uint32_t cells = area(s.map);
    if (!config_.second) {
        const Tensor y = layer_norm(c, s.z, w.norm2, input_type());
        linear_add(c, s.z, linear(c, y, w.fc1, config_.activation), w.fc2);
        return;
    }
    const Tensor y = s.y.slice_rows(0, cells);
    const Tensor out = c.scratch(s.z.batch, cells, s.z.columns, Type::f32);
    linear_into(c, out, linear(c, y, w.fc1, config_.activation), w.fc2);
    norm_add(c, s.cells(), out, w.norm2, s.y.type == Type::f32 ? Tensor() : y);
}

// V1: z = LN([four neighbours]) W     V2: z = LN([four neighbours] W)
Swin::Stream Swin::merge(Commands& c, const Stream& s, const Merging& w, const Stage& next) const {
    const Stream to = stream(c, s.z.batch, (s.map + 1u) / 2u, next);
    auto scope = c.scope("merge");
    if (!config_.second) {
        const Tensor four = merge_patches(c, s.z, s.map, Type::f32);
        linear_into(c, to.z, layer_norm(c, four, w.norm, input_type()), w.reduction);
        return to;
    }
    const Tensor four = merge_patches(c, s.cells(), s.map, input_type());
    const Tensor out = c.scratch(four.batch, four.rows, next.dim, Type::f32);
    linear_into(c, out, four, w.reduction);
    layer_norm_into(c, to.cells(), out, w.norm);
    if (to.y.type != Type::f32) copy(c, to.y.slice_rows(0, area(to.map)), to.cells());
    return to;
}

Tensor Swin::logits(Commands& c, const Tensor& patches, Tap& tap) const {
    const Tensor logits =
        head_.weight ? c.scratch(patches.batch, 1, head_.weight.rows, Type::f32) : Tensor();
    auto scope = c.scope("stages");
    Stream s = embed(c, patches);
    // Hidden states: the embedding, then for each stage its blocks and its end.
    tap.hidden(c, 0, s.cells());
    uint32_t layer = 0;
    for (uint32_t i = 0; i < blocks_.size(); ++i) {
        for (uint32_t j = 0; j < blocks_[i].size(); ++j, ++layer) {
            attend(c, s, config_.stages[i], blocks_[i][j], layer, j % 2 == 1, tap);
            mlp(c, s, blocks_[i][j]);
        }
        tap.hidden(c, 2 * i + 1, s.cells());
        if (i < mergings_.size()) s = merge(c, s, mergings_[i], config_.stages[i + 1]);
        tap.hidden(c, 2 * i + 2, s.cells());
    }
    const Tensor y = layer_norm(c, s.cells(), norm_, Type::f32);
    tap.features(c, y);
    if (!logits) return {};
    const Tensor mean = c.scratch(y.batch, 1, y.columns, input_type());
    mean_rows_into(c, mean, y);
    linear_into(c, logits, mean, head_);
    return logits;
}

TokenLayout Swin::layout(uint32_t layer) const {
    Size map = grid_;
    glm::vec2 cell(config_.patch);
    for (const Stage& stage : config_.stages) {
        if (layer < stage.depth) break;
        layer -= stage.depth;
        map = (map + 1u) / 2u;
        cell *= 2.0f;
    }
    // There is no class token: the cell in the middle takes its place.
    return {.grid = map, .first_query = map.y / 2 * map.x + map.x / 2, .cell = cell};
}

double Swin::multiply_adds() const {
    double sum = double(area(grid_)) * config_.stages.front().dim * 3 * area(config_.patch);
    Size map = grid_;
    for (const Stage& stage : config_.stages) {
        const double cells = area(map), dim = stage.dim, window = stage.window * stage.window;
        sum += stage.depth *
               (cells * dim * (4 * dim + 2.0 * config_.inner(stage)) + 2 * cells * window * dim);
        map = (map + 1u) / 2u;
        if (&stage != &config_.stages.back()) sum += double(area(map)) * 8 * dim * dim;
    }
    return sum;
}

}  // namespace saccade
