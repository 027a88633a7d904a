#pragma once

#include "gpu/ops.h"

// The operations of heads that predict a mask for each object.

namespace saccade {

// The best scores among what was found, the best first: list is (1, 2, n) u32, their queries and their
// rows of found (1, rows, 7) f32, which is as detections_into makes it. A query comes once.
void best_queries_into(Commands& c, const Tensor& list, const Tensor& found);

// softmax(scale q k^T) over all heads and keys together, a picture for each query: y is (queries,
// keys, heads), q (1, queries, columns), k (1, keys, columns).
void joint_attention_into(Commands& c, const Tensor& y, const Tensor& q, const Tensor& k,
                          const Heads& heads);

// y = activation((x - mean) / sqrt(variance + eps) * weight + bias) with mean and variance over all
// rows of a batch and the channels of a group.
Tensor group_norm(Commands& c, const Tensor& x, const Norm& w, uint32_t groups,
                  Activation activation);

// y = x + the nearest of a smaller picture: y is (batch, pixels, channels), x (1, pixels, channels)
// the same for every batch, small (batch, pixels of small_size, channels).
Tensor add_enlarged(Commands& c, const Tensor& x, Size size, const Tensor& small, Size small_size);

// x, a picture of this size, enlarged to another: bilinear between the middles of pixels.
Tensor enlarge(Commands& c, const Tensor& x, Size from, Size to);

}  // namespace saccade
