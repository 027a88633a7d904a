#include "models/backbone/layers.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace saccade {

Heads EncoderForm::attention_heads() const {
    // The scale is by the model's head size, not the padded one.
    return {heads, 1.0f / std::sqrt(static_cast<float>(head_size()))};
}

EncoderBlock load_encoder_block(WeightLoader& weights, const std::string& prefix,
                                const EncoderForm& form) {
    const std::string self = prefix + ".attention.attention.";
    const std::array<std::string, 3> qkv = {self + "query", self + "key", self + "value"};
    const uint32_t dim = form.hidden, head = form.head_size();
    return {
        .qkv =
            weights.norm_linear(prefix + ".layernorm_before", form.norm_eps, qkv,
                                {.out = dim, .in = dim, .out_head = head, .bias = form.qkv_bias}),
        .out = weights.linear(prefix + ".attention.output.dense",
                              {.out = dim, .in = dim, .in_head = head}),
        .fc1 = weights.norm_linear(prefix + ".layernorm_after", form.norm_eps,
                                   prefix + ".intermediate.dense",
                                   {.out = form.intermediate, .in = dim}),
        .fc2 = weights.linear(prefix + ".output.dense", {.out = dim, .in = form.intermediate}),
    };
}

namespace {

// Queries of all tokens, keys and values of the first `keys`.
struct Projected {
    Tensor q, k, v;
};
Projected project_qkv(Commands& c, const ResidualStream& z, const EncoderBlock& w,
                      uint32_t keys = UINT32_MAX) {
    const Tensor qkv = z.norm_linear(c, w.qkv);
    const uint32_t dim = qkv.columns / 3;
    const Tensor visible = qkv.slice_rows(0, std::min(keys, qkv.rows));
    return {qkv.slice_columns(0, dim), visible.slice_columns(dim, dim),
            visible.slice_columns(2 * dim, dim)};
}

// z' = MSA(LN(z)) + z                                                                  (eq. 2)
void attend(Commands& c, ResidualStream& z, const EncoderBlock& w, const EncoderForm& form,
            uint32_t layer, Tap& tap, const AttentionMask& mask) {
    auto scope = c.scope("attend");
    const auto [q, k, v] = project_qkv(c, z, w, mask.keys);
    const Heads heads = form.attention_heads();
    tap.attention(c, layer, q, k, heads);
    tap.values(c, layer, v);
    if (tap.skips_attention(layer)) return;
    z.add(c, tap.heads(c, layer, attention(c, q, k, v, heads, mask.causal), heads), w.out);
}

// z = MLP(LN(z')) + z'                                                                 (eq. 3)
void mlp(Commands& c, ResidualStream& z, const EncoderBlock& w, const EncoderForm& form) {
    auto scope = c.scope("mlp");
    z.add(c, z.norm_linear(c, w.fc1, form.activation), w.fc2);
}

}  // namespace

void encoder_block(Commands& c, ResidualStream& z, const EncoderBlock& w, const EncoderForm& form,
                   uint32_t layer, Tap& tap, const AttentionMask& mask) {
    attend(c, z, w, form, layer, tap, mask);
    if (!tap.skips_mlp(layer)) mlp(c, z, w, form);
}

Tensor last_encoder_block(Commands& c, ResidualStream& z, uint32_t tokens, const EncoderBlock& w,
                          const EncoderForm& form, uint32_t layer, Tap& tap) {
    const Tensor first = z.sums().slice_rows(0, tokens);
    const Tensor read = c.scratch(first.batch, tokens, first.columns, Type::f32);
    copy(c, read, first);
    {
        auto scope = c.scope("last");
        const auto [q, k, v] = project_qkv(c, z, w);
        const Heads heads = form.attention_heads();
        tap.attention(c, layer, q, k, heads);
        tap.values(c, layer, v);
        if (!tap.skips_attention(layer)) {
            const Tensor asking = tap.wants_mean() ? q : q.slice_rows(0, tokens);
            const Tensor seen = tap.heads(c, layer, attention(c, asking, k, v, heads), heads);
            linear_add(c, read, seen.slice_rows(0, tokens), w.out);
        }
        if (!tap.skips_mlp(layer)) {
            const Tensor inner = norm_linear(c, read, w.fc1.norm, w.fc1.linear, form.activation);
            linear_add(c, read, inner, w.fc2);
        }
    }
    if (tap.wants_last()) {
        Tap keeps_nothing;
        keeps_nothing.knock_out(tap.knock_outs());
        encoder_block(c, z, w, form, layer, keeps_nothing);
    }
    return read;
}

}  // namespace saccade
