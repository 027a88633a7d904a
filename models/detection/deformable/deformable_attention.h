#pragma once

#include <string>
#include <vector>

#include "gpu/ops/deformable.h"
#include "gpu/ops/products.h"
#include "models/attention/tap.h"
#include "models/detection/post_norm.h"
#include "models/weights/weight_loader.h"

// Deformable attention (Zhu et al. 2020): each query predicts sampling offsets around its reference
// box and an attention weight for each sampled point. There are no keys.

namespace saccade {

// Constants of all these decoders: layers of the MLPs for boxes and positions, and the margin, as a
// fraction of the picture, within which a cell is no proposal.
inline constexpr uint32_t box_layers = 3, position_layers = 2;
inline constexpr float border = 0.01f;

struct DeformableForm {
    uint32_t dim = 0, heads = 0;
    Sampling sampling;

    uint32_t points() const { return heads * sampling.all_points(); }
};

// `prefix`.sampling_offsets and `prefix`.attention_weights.
struct DeformableAttention {
    Linear offsets;  // (heads * points * 2, dim)
    Linear weights;  // (heads * points, dim)
};
DeformableAttention load_deformable_attention(WeightLoader& weights, const std::string& prefix,
                                              const DeformableForm& form);

struct DeformableInput {
    Tensor queries;  // (batch, queries, dim), with positions
    Tensor boxes;    // (batch, queries, 4): reference boxes
    Tensor values;   // (batch, cells of all levels, heads * head)
    std::vector<Size> levels;
};
// The weighted sum of the values at the sampled points: (batch, queries, heads * head).
Tensor deformable_attention(Commands& c, const DeformableInput& in, const DeformableAttention& w,
                            const DeformableForm& form, uint32_t layer, Tap& tap);
void deformable_attention_into(Commands& c, const Tensor& y, const DeformableInput& in,
                               const DeformableAttention& w, const DeformableForm& form,
                               uint32_t layer, Tap& tap);

}  // namespace saccade
