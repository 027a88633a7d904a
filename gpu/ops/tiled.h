#pragma once

#include "gpu/ops.h"
#include "gpu/ops/tile.h"

// The operations on tiles in shared memory, with a tile of one's choice: linear, conv2d and
// attention choose one for GPUs, and the tests try every tile on every device.

namespace saccade {

// y = activation(x W^T + b), or y += x W^T + b.
void linear_tiled(Commands& c, const Tensor& y, const Tensor& x, const Linear& w,
                  Activation activation, bool accumulate, const ProductTile& tile);

// y = activation(convolution of x, + y if `accumulate`).
void conv2d_tiled(Commands& c, const Tensor& y, const Tensor& x, Size size, const Conv2d& w,
                  Activation activation, bool accumulate, const ProductTile& tile);

struct AttentionBlock {
    uint32_t threads, queries, keys;

    uint32_t shared_bytes(uint32_t head) const;
};
// The one for heads of that many columns. None if the device has too little shared memory.
std::optional<AttentionBlock> choose_attention_block(const Limits& limits, uint32_t keys,
                                                     uint32_t head);
void attention_tiled(Commands& c, const Tensor& y, const Tensor& q, const Tensor& k,
                     const Tensor& v, const Heads& heads, bool causal, const AttentionBlock& block);

// The kernels of products load 16 bytes at once.
bool loads_wide(const Tensor& t);

}  // namespace saccade
