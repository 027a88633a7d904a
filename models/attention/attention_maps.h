#pragma once

#include <optional>

#include "gpu/core/buffer.h"
#include "gpu/recorder/commands.h"
#include "models/attention/tap.h"

namespace saccade {

// Attention weights of some queries and heads: maps is (1, heads * rows, keys) f32, for one picture
// of a batch. Points of deformable attention are splatted onto the largest map.
void attention_rows(Commands& c, const Tensor& maps, const AttentionLayer& from,
                    const MapRange& range, uint32_t batch = 0);

// One query's row of attention weights, of one head or averaged over all heads.
class AttentionRow {
public:
    explicit AttentionRow(Device& device);

    // (1, 1, keys) f32, valid until the scope ends.
    Tensor record(Commands& c, const AttentionLayer& layer, uint32_t row,
                  std::optional<uint32_t> head, uint32_t batch = 0) const;

private:
    Buffer one_;  // the weight of a single row
};

// Attention rollout (Abnar & Zuidema 2020): how much each input token contributes to one output
// token, r = e_row (A_L + I)/2 ... (A_1 + I)/2, where A_i is the attention of layer i, averaged
// over heads, and I the residual path. Only one row of the product is needed, so it is computed
// from the last layer on as vector times matrix, and no matrix is stored.
class Rollout {
public:
    explicit Rollout(Device& device) : device_(&device) {}

    // (1, 1, tokens) f32, valid until the scope ends, from a tap that has kept every layer. Earlier
    // recordings must have run, because they share the memory of e_row. A last layer of attention
    // pooling has no residual path: its weights replace e_row. `skipped`: the number of last layers
    // to leave out.
    Tensor record(Commands& c, const Tap& tap, uint32_t row, uint32_t batch = 0,
                  uint32_t skipped = 0);

private:
    Tensor start_at(uint32_t row, uint32_t tokens);

    Device* device_;
    Buffer start_;  // e_row
};

}  // namespace saccade
