#include "models/classification/mvit.h"

#include <algorithm>
#include <cmath>

#include "gpu/core/error.h"
#include "gpu/ops/maps.h"

namespace saccade {

namespace {

// Expands a table of relative positions (distances, size): row q * keys + k is the entry for the
// distance from query q to key k, whose maps may have different scales.
std::vector<float> spread(const std::vector<float>& table, uint32_t size, uint32_t queries,
                          uint32_t keys) {
    const float q_ratio = std::max(static_cast<float>(keys) / static_cast<float>(queries), 1.0f);
    const float k_ratio = std::max(static_cast<float>(queries) / static_cast<float>(keys), 1.0f);
    const size_t rows = table.size() / size;
    std::vector<float> result;
    for (uint32_t q = 0; q < queries; ++q)
        for (uint32_t k = 0; k < keys; ++k) {
            const float distance = static_cast<float>(q) * q_ratio -
                                   static_cast<float>(k) * k_ratio +
                                   static_cast<float>(keys - 1) * k_ratio;
            const size_t row = std::min(static_cast<size_t>(distance), rows - 1);
            result.insert(result.end(), &table[row * size], &table[row * size] + size);
        }
    return result;
}

HeadPool load_pool(WeightLoader& weights, const std::string& in, const char* which, uint32_t size,
                   uint32_t kernel, uint32_t stride, float eps) {
    HeadPool pool{.weight = {}, .norm = {}, .kernel = kernel, .stride = stride};
    if (kernel == 1 && stride == 1) return pool;
    const uint32_t area = kernel * kernel;
    const std::vector<float> stored =
        weights.floats(in + "pool_" + which + ".weight", {size, 1, kernel, kernel});
    std::vector<float> columns(stored.size());
    for (size_t i = 0; i < stored.size(); ++i) columns[i % area * size + i / area] = stored[i];
    pool.weight = weights.table(columns, area, size);
    pool.norm = weights.norm(in + "norm_" + which, size, eps);
    return pool;
}

}  // namespace

Mvit::Mvit(WeightLoader& weights, const MvitConfig& config) : config_(config) {
    const uint32_t dim = config.stages.front().dim, first = config.first();
    patch_embedding_ =
        weights.biased_convolution("patch_embed.proj", {.out = dim,
                                                        .in = 3,
                                                        .kernel = config.patch_kernel,
                                                        .stride = config.patch_stride,
                                                        .padding = config.patch_padding});
    Size map = patch_embedding_.out_size(config.image);
    if (area(map) == 0) throw Error("the model's pictures are smaller than its patches");
    if (config.class_token || config.absolute_positions) {
        const uint32_t tokens = first + area(map);
        std::vector<float> start(size_t(tokens) * dim);
        if (config.absolute_positions) start = weights.floats("pos_embed", {1, tokens, dim});
        if (config.class_token) {
            const std::vector<float> token = weights.floats("cls_token", {1, 1, dim});
            for (size_t i = 0; i < dim; ++i) start[i] += token[i];
        }
        start_ = weights.table(start, tokens, dim);
    }
    for (uint32_t i = 0; i < config.stages.size(); ++i) {
        const MvitConfig::Stage& stage = config.stages[i];
        uint32_t width = stage.dim;
        for (uint32_t j = 0; j < stage.depth; ++j) {
            const bool widens = config.widens_in_attention ? j == 0 : j + 1 == stage.depth;
            Block block;
            block.dim = width;
            block.dim_out = widens ? stage.dim_out : width;
            block.attended = config.widens_in_attention ? block.dim_out : width;
            block.heads.count = stage.heads;
            block.stride_q = j == 0 ? stage.stride_q : 1;
            block.map = map;
            blocks_.push_back(load_block(
                weights, "stages." + std::to_string(i) + ".blocks." + std::to_string(j) + ".",
                block, stage.stride_kv));
            map = blocks_.back().places.queries;
            width = block.dim_out;
        }
        ends_.push_back(static_cast<uint32_t>(blocks_.size()) - 1);
    }
    const uint32_t last = config.stages.back().dim_out;
    norm_ = weights.norm("norm", last, config.norm_eps);
    if (!config.labels.empty())
        head_ = weights.linear(
            "head.fc",
            {.out = static_cast<uint32_t>(config.labels.size()), .in = last, .rows = Rows::any});
}

Mvit::Block Mvit::load_block(WeightLoader& weights, const std::string& in, Block block,
                             uint32_t stride_kv) const {
    const uint32_t dim = block.dim, attended = block.attended;
    const uint32_t size = attended / block.heads.count;
    const auto inner = static_cast<uint32_t>(static_cast<float>(attended) * config_.mlp_ratio);
    const std::string attn = in + "attn.";
    block.heads.scale = 1.0f / std::sqrt(static_cast<float>(size));
    block.norm1 = weights.norm(in + "norm1", dim, config_.norm_eps);
    block.norm2 = weights.norm(in + "norm2", attended, config_.norm_eps);
    block.qkv = weights.linear(
        attn + "qkv", {.out = 3 * attended, .in = dim, .out_head = size, .bias = config_.qkv_bias});
    auto pool = [&](const char* which, uint32_t stride) {
        return load_pool(weights, attn, which, size, config_.pool_kernel, stride, config_.norm_eps);
    };
    block.pool_q = pool("q", block.stride_q);
    block.pool_k = pool("k", stride_kv);
    block.pool_v = pool("v", stride_kv);
    block.out = weights.linear(attn + "proj", {.out = attended, .in = attended, .in_head = size});
    if (dim != attended)
        block.attention_shortcut =
            weights.linear(in + "shortcut_proj_attn", {.out = attended, .in = dim});
    block.fc1 = weights.linear(in + "mlp.fc1", {.out = inner, .in = attended});
    block.fc2 = weights.linear(in + "mlp.fc2", {.out = block.dim_out, .in = inner});
    if (attended != block.dim_out)
        block.mlp_shortcut =
            weights.linear(in + "shortcut_proj_mlp", {.out = block.dim_out, .in = attended});

    RelativePlaces& places = block.places;
    places.first = config_.first();
    places.queries = block.pool_q.weight ? block.pool_q.out_size(block.map) : block.map;
    places.keys = block.pool_k.weight ? block.pool_k.out_size(block.map) : block.map;
    // timm counts distances in whole strides.
    const uint32_t distances =
        2 * std::max(block.map.x / block.stride_q, block.map.x / stride_kv) - 1;
    const auto table = [&](const char* name, uint32_t queries, uint32_t keys) {
        return weights.table(
            spread(weights.floats(attn + name, {distances, size}), size, queries, keys),
            queries * keys, size);
    };
    places.down = table("rel_pos_h", places.queries.y, places.keys.y);
    places.across = table("rel_pos_w", places.queries.x, places.keys.x);
    return block;
}

// Max pooling of the cells; the class token stays.
Tensor Mvit::pool_shortcut(Commands& c, const Tensor& x, const Block& w) const {
    if (w.stride_q == 1) return x;
    const uint32_t first = config_.first(), kernel = w.stride_q + 1;
    const Pool pool{.kernel = kernel, .stride = w.stride_q, .padding = kernel / 2};
    if (first == 0) return max_pool(c, x, w.map, pool);
    const Tensor y = c.scratch(x.batch, first + area(w.places.queries), x.columns, x.type);
    copy(c, y.slice_rows(0, first), x.slice_rows(0, first));
    copy(c, y.slice_rows(first, y.rows - first),
         max_pool(c, x.slice_rows(first, area(w.map)), w.map, pool));
    return y;
}

// z' = pool(z) + MHPA(LN(z)); where the columns grow, pool(LN(z) W).                   (sec. 4.1)
Tensor Mvit::attend(Commands& c, const Tensor& z, const Block& w, uint32_t layer, Tap& tap) const {
    const Tensor y = layer_norm(c, z, w.norm1, input_type());
    Tensor shortcut = z;
    if (w.attention_shortcut.weight) {
        shortcut = c.scratch(z.batch, z.rows, w.attended, Type::f32);
        linear_into(c, shortcut, y, w.attention_shortcut);
    }
    shortcut = pool_shortcut(c, shortcut, w);

    auto scope = c.scope("attend");
    const Tensor qkv = linear(c, y, w.qkv);
    const uint32_t columns = qkv.columns / 3;
    auto pooled = [&](uint32_t part, const HeadPool& pool) {
        const Tensor x = qkv.slice_columns(part * columns, columns);
        return pool.weight ? pool_heads(c, x, w.map, config_.first(), w.heads.count, pool) : x;
    };
    const Tensor q = pooled(0, w.pool_q), k = pooled(1, w.pool_k), v = pooled(2, w.pool_v);
    const Tensor scores = relative_scores(c, q, w.heads, w.places);
    tap.attention(c, layer, q, k, w.heads, w.places, scores);
    tap.values(c, layer, v);
    const Tensor seen = tap.heads(
        c, layer,
        relative_attention(c, q, k, v, w.heads, {w.places, scores}, config_.residual_pooling),
        w.heads);
    linear_add(c, shortcut, seen, w.out);
    return shortcut;
}

// z = z' + MLP(LN(z')); where the columns grow, LN(z') W + MLP(LN(z'))
Tensor Mvit::mlp(Commands& c, const Tensor& z, const Block& w) const {
    const Tensor y = layer_norm(c, z, w.norm2, input_type());
    Tensor shortcut = z;
    if (w.mlp_shortcut.weight) {
        shortcut = c.scratch(z.batch, z.rows, w.dim_out, Type::f32);
        linear_into(c, shortcut, y, w.mlp_shortcut);
    }
    auto scope = c.scope("mlp");
    linear_add(c, shortcut, linear(c, y, w.fc1, Activation::gelu_erf), w.fc2);
    return shortcut;
}

Tensor Mvit::logits(Commands& c, const Tensor& pixels, Tap& tap) const {
    const Tensor logits =
        head_.weight ? c.scratch(pixels.batch, 1, head_.weight.rows, Type::f32) : Tensor();
    auto scope = c.scope("stages");
    const Size map = patch_embedding_.out_size(config_.image);
    const uint32_t first = config_.first();
    const Tensor cells = conv2d(c, pixels, config_.image, patch_embedding_);
    Tensor z = c.scratch(cells.batch, first + cells.rows, cells.columns, Type::f32);
    copy(c, z.slice_rows(first, cells.rows), cells);
    tap.hidden(c, 0, z.slice_rows(first, area(map)));
    if (start_) {
        if (first > 0) copy(c, z.slice_rows(0, 1), start_.slice_rows(0, 1));
        if (config_.absolute_positions)
            add_into(c, z.slice_rows(first, area(map)), z.slice_rows(first, area(map)),
                     start_.slice_rows(first, area(map)));
    }
    uint32_t stage = 0;
    for (uint32_t i = 0; i < blocks_.size(); ++i) {
        z = mlp(c, attend(c, z, blocks_[i], i, tap), blocks_[i]);
        if (i == ends_[stage]) tap.hidden(c, ++stage, z.slice_rows(first, z.rows - first));
    }
    const Tensor y = layer_norm(c, z, norm_, Type::f32);
    tap.features(c, y);
    if (!logits) return {};
    const Tensor pooled = c.scratch(y.batch, 1, y.columns, input_type());
    if (config_.class_token)
        copy(c, pooled, y.slice_rows(0, 1));
    else
        mean_rows_into(c, pooled, y);
    linear_into(c, logits, pooled, head_);
    return logits;
}

std::vector<uint32_t> Mvit::layers_of_stages() const {
    std::vector<uint32_t> layers;
    for (const MvitConfig::Stage& stage : config_.stages) layers.push_back(stage.depth);
    return layers;
}

TokenLayout Mvit::layout_of(Size map, uint32_t first) const {
    // Without a class token, the cell in the middle takes its place.
    const glm::vec2 cell = glm::vec2(config_.image) / glm::vec2(map);
    return {.grid = map,
            .first_cell = first,
            .first_query = first > 0 ? 0 : map.y / 2 * map.x + map.x / 2,
            .cell = cell};
}
TokenLayout Mvit::layout(uint32_t layer) const {
    return layout_of(blocks_.at(layer).places.keys, config_.first());
}
TokenLayout Mvit::query_layout(uint32_t layer) const {
    return layout_of(blocks_.at(layer).places.queries, config_.first());
}

double Mvit::multiply_adds() const {
    double sum = double(area(blocks_.front().map)) * blocks_.front().dim * 3 *
                 config_.patch_kernel * config_.patch_kernel;
    for (const Block& w : blocks_) {
        const double before = area(w.map), after = area(w.places.queries);
        const double keys = area(w.places.keys), dim = w.attended;
        sum += before * w.dim * 3 * dim + 2 * after * keys * dim + after * dim * dim +
               after * (dim + w.dim_out) * dim * double(config_.mlp_ratio);
    }
    return sum;
}

}  // namespace saccade
