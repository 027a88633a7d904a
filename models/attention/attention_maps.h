#pragma once

#include <optional>

#include "gpu/core/buffer.h"
#include "gpu/recorder/commands.h"
#include "models/attention/tap.h"

namespace saccade {

// What some tokens look at, by some heads: maps is (1, heads * rows, keys) f32, for one picture of a
// batch. Where attention is deformable, its points are laid down as a map.
void attention_rows(Commands& c, const Tensor& maps, const AttentionLayer& from,
                    const MapRange& range, uint32_t batch = 0);

// What one token looks at: its row of attention, of one head or averaged over all of them.
class AttentionRow {
public:
    explicit AttentionRow(Device& device);

    // (1, 1, keys) f32, valid until the scope ends.
    Tensor record(Commands& c, const AttentionLayer& layer, uint32_t row,
                  std::optional<uint32_t> head, uint32_t batch = 0) const;

private:
    Buffer one_;  // the weight of a single row
};

// Attention rollout (Abnar & Zuidema 2020): how much of each token of the input reaches one token
// of the output when attention, averaged over heads and mixed half and half with the residual path,
// is followed through the layers:  r = e_row (A_L + I)/2 ... (A_1 + I)/2. Only one row of that
// product is wanted, so it is followed backwards, a vector times a matrix at each layer, and no
// matrix is ever held whole.
class Rollout {
public:
    explicit Rollout(Device& device) : device_(&device) {}

    // (1, 1, tokens) f32, valid until the scope ends, from a tap that has kept every layer. What
    // was recorded before must have run: it shares the memory of e_row. A last layer whose queries
    // are not the tokens, but one that pools them, has no residual path: what it looks at is where the
    // others begin. `skipped` leaves out that many of the last layers.
    Tensor record(Commands& c, const Tap& tap, uint32_t row, uint32_t batch = 0,
                  uint32_t skipped = 0);

private:
    Tensor start_at(uint32_t row, uint32_t tokens);

    Device* device_;
    Buffer start_;  // e_row
};

}  // namespace saccade
