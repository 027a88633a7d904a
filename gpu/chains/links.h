#pragma once

#include <optional>

#include "gpu/activation.h"
#include "gpu/recorder/commands.h"

// Operations as links of a chain (chain.h). Each function returns false, and records nothing, where
// no chain is open or the operation does not fit into one: it is then dispatched by itself. y and x
// have one row in each of up to params::chain_most_rows batches.

namespace saccade {

// LN(x) over the columns of an fp32 row, or RMSNorm(x) where there is no bias.
struct ChainNorm {
    Tensor weight, bias;  // f32
    float eps;
};

// y = activation(x W^T + b)
struct ChainProduct {
    Tensor weight;                       // f16
    Tensor bias = {};                    // f32, or none
    std::optional<ChainNorm> norm = {};  // x is an fp32 row, and its norm is multiplied
    Activation activation = Activation::none;
    bool accumulate = false;  // y += x W^T + b; y is f32
    // Rotary positions (RoPE) for the first heads of y: `angles` has head / 2 cosines, then as many
    // sines. No rotation where there are no heads.
    Tensor angles = {};
    uint32_t rotated_heads = 0, head = 0;
    // y = activation(a) * b, where a and b are the two halves of the product's columns.
    bool gated = false;
};
bool link_product(Commands& c, const Tensor& y, const Tensor& x, const ChainProduct& product);

// y = softmax(scale q k^T) v. Queries of one batch see the same keys.
struct ChainAttention {
    Tensor q, k, v;  // f16
    uint32_t heads;
    float scale;
    uint32_t sharing = 1;  // heads of q in a row that share one of k and v
};
bool link_attention(Commands& c, const Tensor& y, const ChainAttention& attention);

// y = LN(x), both f32
bool link_norm(Commands& c, const Tensor& y, const Tensor& x, const ChainNorm& norm);

// y = table[id] + position
bool link_embedding(Commands& c, const Tensor& y, const Tensor& ids, const Tensor& table,
                    const Tensor& positions);

// The argmax of x, and its log-softmax and log-sum-exp as pick() writes them.
bool link_pick(Commands& c, const Tensor& best, const Tensor& about, const Tensor& x);

}  // namespace saccade
