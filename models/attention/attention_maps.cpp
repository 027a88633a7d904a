#include "models/attention/attention_maps.h"

#include <algorithm>
#include <cstring>

#include "gpu/core/error.h"
#include "gpu/ops/deformable.h"
#include "gpu/ops/elementwise.h"
#include "gpu/ops/grid_attention.h"
#include "gpu/ops/rows.h"

namespace saccade {

namespace {
constexpr uint64_t map_bytes = 8ull << 20;  // of attention weights in memory at a time

void window_rows(Commands& c, const Tensor& maps, const AttentionLayer& from, const Tensor& q,
                 const Tensor& k, const MapRange& range) {
    for (uint32_t row = 0; row < range.rows; ++row) {
        Tensor of_heads = maps;  // this query's row of each head: every range.rows-th row
        of_heads.offset += row * maps.row_stride;
        of_heads.row_stride = range.rows * maps.row_stride;
        of_heads.rows = range.heads;
        window_map(c, of_heads, q, k, from.heads, *from.windows,
                   {.from = from.windows->place_of(range.first_row + row),
                    .first_head = range.first_head});
    }
}

}  // namespace

void attention_rows(Commands& c, const Tensor& maps, const AttentionLayer& from,
                    const MapRange& range, uint32_t batch) {
    const Tensor q = from.q.at_batch(batch), k = from.k.at_batch(batch);
    if (from.windows)
        window_rows(c, maps, from, q, k, range);
    else if (from.places)
        relative_map(c, maps, q, k, from.heads, {*from.places, from.scores.at_batch(batch)}, range);
    else if (from.additive)
        additive_map(c, maps, q, k, {from.additive}, range.first_row);
    else if (from.points.empty())
        attention_map(c, maps, q, k, from.heads, range);
    else
        splat(c, maps, {q, k}, from.levels, from.points, from.levels.front(), range);
}

AttentionRow::AttentionRow(Device& device)
    : one_(device, "one", tensor_bytes(1, 1, 1, Type::f32), Memory::upload) {
    const float one = 1.0f;
    std::memset(one_.mapped().data(), 0, one_.bytes());
    std::memcpy(one_.mapped().data(), &one, sizeof one);
    one_.flush();
}

Tensor AttentionRow::record(Commands& c, const AttentionLayer& layer, uint32_t row,
                            std::optional<uint32_t> head, uint32_t batch) const {
    if (row >= layer.tokens())
        throw Error("there is no token " + std::to_string(row) + " to look from");
    if (head && *head >= layer.heads.count)
        throw Error("there is no head " + std::to_string(*head) + "; the layer has " +
                    std::to_string(layer.heads.count));
    const Tensor result = c.scratch(1, 1, layer.keys(), Type::f32);
    if (head) {
        attention_rows(c, result, layer, {row, 1, *head, 1}, batch);
        return result;
    }
    auto scope = c.scope("average heads");
    const uint32_t heads = layer.heads.count;
    const Tensor map = c.scratch(1, heads, result.columns, Type::f32);
    attention_rows(c, map, layer, {row, 1, 0, heads}, batch);
    row_sum(c, result, make_tensor(one_.handle(), 0, 1, 1, 1, Type::f32), map,
            {.heads = heads, .scale = 1.0f / static_cast<float>(heads)});
    return result;
}

Tensor Rollout::start_at(uint32_t row, uint32_t tokens) {
    if (row >= tokens) throw Error("there is no token " + std::to_string(row) + " to roll out");
    const uint64_t bytes = tensor_bytes(1, 1, tokens, Type::f32);
    if (start_.bytes() < bytes) start_ = Buffer(*device_, "rollout start", bytes, Memory::upload);
    std::memset(start_.mapped().data(), 0, start_.bytes());
    const float one = 1.0f;
    std::memcpy(&start_.mapped()[row * sizeof one], &one, sizeof one);
    start_.flush();
    return make_tensor(start_.handle(), 0, 1, 1, tokens, Type::f32);
}

Tensor Rollout::record(Commands& c, const Tap& tap, uint32_t row, uint32_t batch,
                       uint32_t skipped) {
    if (tap.layers().empty()) throw Error("rollout needs a tap on every layer");
    const uint32_t tokens = tap.layers().begin()->second.k.rows;
    Tensor r = start_at(row, tokens);
    const auto from = std::next(tap.layers().rbegin(), skipped);
    for (auto layer = from; layer != tap.layers().rend(); ++layer) {
        const AttentionLayer& kept = layer->second;
        const uint32_t heads = kept.heads.count;
        const Tensor next = c.scratch(1, 1, tokens, Type::f32);
        copy(c, next, r);

        // At the last layer r is one-hot, so a single row is enough.
        const bool last = layer == from, pools = kept.q.rows != tokens;
        const uint32_t begin = last ? row : 0, end = last ? row + 1 : tokens;
        const uint64_t row_bytes = tensor_bytes(1, heads, tokens, Type::f32);
        const auto most = static_cast<uint32_t>(std::max<uint64_t>(map_bytes / row_bytes, 1));
        for (uint32_t first = begin; first < end; first += most) {
            auto scope = c.scope("rollout");
            const uint32_t rows = std::min(most, end - first);
            const Tensor map = c.scratch(1, heads * rows, tokens, Type::f32);
            attention_rows(c, map, kept, {first, rows, 0, heads}, batch);
            row_sum(c, next, r, map,
                    {.heads = heads,
                     .first_row = first,
                     .keep = pools            ? 0.0f
                             : first == begin ? 0.5f
                                              : 1.0f,
                     .scale = (pools ? 1.0f : 0.5f) / static_cast<float>(heads)});
        }
        r = next;
    }
    return r;
}

}  // namespace saccade
