#include "models/detection/deformable/deformable_attention.h"

#include "gpu/ops/elementwise.h"

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

Tensor deformable_attention(Commands& c, const DeformableInput& in, const DeformableAttention& w,
                            const DeformableForm& form, uint32_t layer, Tap& tap) {
    const Tensor y =
        c.scratch(in.queries.batch, in.queries.rows, in.values.columns, in.values.type);
    deformable_attention_into(c, y, in, w, form, layer, tap);
    return y;
}

void deformable_attention_into(Commands& c, const Tensor& y, const DeformableInput& in,
                               const DeformableAttention& w, const DeformableForm& form,
                               uint32_t layer, Tap& tap) {
    auto scope = c.scope("sampling");
    const uint32_t batch = in.queries.batch, count = in.queries.rows, points = form.points();
    const SamplingQueries queries{c.scratch(batch, count, 2 * points, Type::f32),
                                  c.scratch(batch, count, points, Type::f32), in.boxes};
    linear_into(c, queries.offsets, in.queries, w.offsets);
    linear_into(c, queries.weights, in.queries, w.weights);
    tap.sampling(c, layer, queries, form.heads, form.sampling, in.levels);
    deformable_into(c, y, in.values, in.levels, queries, form.heads, form.sampling);
    if (tap.knock_outs()) copy(c, y, tap.heads(c, layer, y, {form.heads}));
}

}  // namespace saccade
