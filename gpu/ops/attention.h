#pragma once

#include "gpu/core/tensor.h"
#include "gpu/ops/norms.h"
#include "gpu/ops/products.h"
#include "gpu/recorder/commands.h"

// Attention over all keys, and rotary positions. gpu/ops/grid_attention.h has attention between
// cells of a map, gpu/ops/deformable.h attention that samples maps.

namespace saccade {

// The heads of q, k and v: `count` groups of columns side by side, each a multiple of 8 up to 128.
// Other heads are padded with zeros, which change no product.
struct Heads {
    uint32_t count = 1;
    float scale = 1.0f;    // of q k^T
    uint32_t sharing = 1;  // grouped-query attention: this many heads of q share one of k and v
};

// softmax(scale q k^T) v for each head. The scores are never stored (flash attention: the kernels
// keep an online softmax). With `causal`, query i of n sees keys 0 .. i + (keys - n): the last
// query sees all.
Tensor attention(Commands& c, const Tensor& q, const Tensor& k, const Tensor& v, const Heads& heads,
                 bool causal = false);

// The probabilities that `attention` weighs v with, for rows [first_row, first_row + rows) and
// heads [first_head, first_head + heads): map is (batch, heads * rows, keys) f32.
struct MapRange {
    uint32_t first_row = 0, rows = 1, first_head = 0, heads = 1;
};
void attention_map(Commands& c, const Tensor& map, const Tensor& q, const Tensor& k,
                   const Heads& heads, const MapRange& range);

// One softmax of scale q k^T over all heads and keys, as DETR's mask head has it: y is (queries,
// keys, heads), a picture for each query; q (1, queries, columns), k (1, keys, columns).
void joint_attention_into(Commands& c, const Tensor& y, const Tensor& q, const Tensor& k,
                          const Heads& heads);

// Additive attention (Bahdanau et al. 2014). The score of a key is e_i = w . tanh(k_i + q).
struct Additive {
    Tensor weight;  // w: (columns) f32
};
// y = gate * sum_i softmax_i(e) v_i for each query: q (batch, queries, columns) f32, k and v
// (batch, keys, their columns), gate (batch, queries, 1) f32, y (batch, queries, columns of v).
void additive_attention_into(Commands& c, const Tensor& y, const Tensor& q, const Tensor& k,
                             const Tensor& v, const Tensor& gate, const Additive& how);
// Its softmax for some queries: map (batch, queries, keys) f32.
void additive_map(Commands& c, const Tensor& map, const Tensor& q, const Tensor& k,
                  const Additive& how, uint32_t first_row = 0);

// Rotary position embedding (rope), in place: the points (x[i], x[i + head / 2]) of each head are
// turned by the angles of their row. x (batch, rows, heads * padded(head)); table (rows, head) f32
// has the cosines of a row, then its sines.
struct Rotation {
    Tensor table;
    uint32_t heads = 0, head = 0;  // head: columns of one
};
void rope(Commands& c, const Tensor& x, const Rotation& by);
// y = RMSNorm(x) W^T + b, with rope on the heads that y begins with, which are queries and keys. It
// is one link of a chain.
void rotated_linear_into(Commands& c, const Tensor& y, const Tensor& x, const RmsNorm& norm,
                         const Linear& w, const Rotation& by);

}  // namespace saccade
