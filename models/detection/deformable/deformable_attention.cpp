#include "models/detection/deformable/deformable_attention.h"

namespace saccade {

DeformableAttention load_deformable_attention(WeightLoader& weights, const std::string& prefix,
                                              const DeformableForm& form) {
    return {
        .offsets = weights.linear(prefix + ".sampling_offsets",
                                  {.out = 2 * form.points(), .in = form.dim}),
        .weights =
            weights.linear(prefix + ".attention_weights", {.out = form.points(), .in = form.dim}),
    };
}

Tensor deformable_attention(Commands& c, const Tensor& at, const Tensor& boxes,
                            const Tensor& values, const std::vector<Size>& levels,
                            const DeformableAttention& w, const DeformableForm& form,
                            uint32_t layer, Tap& tap) {
    const Tensor y = c.scratch(at.batch, at.rows, values.columns, values.type);
    deformable_attention_into(c, y, at, boxes, values, levels, w, form, layer, tap);
    return y;
}

void deformable_attention_into(Commands& c, const Tensor& y, const Tensor& at, const Tensor& boxes,
                               const Tensor& values, const std::vector<Size>& levels,
                               const DeformableAttention& w, const DeformableForm& form,
                               uint32_t layer, Tap& tap) {
    auto scope = c.scope("sampling");
    const SamplingQueries queries{c.scratch(at.batch, at.rows, 2 * form.points(), Type::f32),
                                  c.scratch(at.batch, at.rows, form.points(), Type::f32), boxes};
    linear_into(c, queries.offsets, at, w.offsets);
    linear_into(c, queries.weights, at, w.weights);
    tap.sampling(c, layer, queries, form.heads, form.sampling, levels);
    deformable_into(c, y, values, levels, queries, form.heads, form.sampling);
}

}  // namespace saccade
