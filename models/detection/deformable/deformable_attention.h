#pragma once

#include <string>
#include <vector>

#include "gpu/sampling.h"
#include "models/attention/tap.h"
#include "models/detection/post_norm.h"
#include "models/weights/weight_loader.h"

// Deformable attention (Zhu et al. 2020) as a layer: each query says where around its box it looks,
// and how much each of these points counts; there are no keys.

namespace saccade {

// What the decoders of this room have in common: layers of the perceptrons that make boxes and
// positions, and how near to the picture's border, as a part of it, a cell is no proposal.
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

// What the queries `at` (batch, queries, dim) see of the values around their boxes.
Tensor deformable_attention(Commands& c, const Tensor& at, const Tensor& boxes,
                            const Tensor& values, const std::vector<Size>& levels,
                            const DeformableAttention& w, const DeformableForm& form,
                            uint32_t layer, Tap& tap);
void deformable_attention_into(Commands& c, const Tensor& y, const Tensor& at, const Tensor& boxes,
                               const Tensor& values, const std::vector<Size>& levels,
                               const DeformableAttention& w, const DeformableForm& form,
                               uint32_t layer, Tap& tap);

}  // namespace saccade
