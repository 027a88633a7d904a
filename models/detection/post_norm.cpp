#include "models/detection/post_norm.h"

#include <cmath>

#include "gpu/ops/elementwise.h"

namespace saccade {

Heads heads_of(uint32_t count, uint32_t hidden) {
    return {count, 1.0f / std::sqrt(static_cast<float>(hidden / count))};
}

SelfAttention load_self_attention(WeightLoader& weights, const std::string& layer, uint32_t hidden,
                                  const Heads& heads, float norm_eps) {
    return load_self_attention(weights, layer, hidden, heads,
                               weights.norm(layer + ".self_attn_layer_norm", hidden, norm_eps));
}

SelfAttention load_self_attention(WeightLoader& weights, const std::string& layer, uint32_t hidden,
                                  const Heads& heads, const Norm& norm) {
    const uint32_t head = hidden / heads.count;
    const std::string self = layer + ".self_attn";
    const std::string qk[] = {self + ".q_proj", self + ".k_proj"};
    const LinearForm in{.out = hidden, .in = hidden, .out_head = head};
    return {
        .qk = weights.stacked(qk, in),
        .v = weights.linear(self + ".v_proj", in),
        .out = weights.linear(self + ".out_proj", {.out = hidden, .in = hidden, .in_head = head}),
        .norm = norm,
    };
}

Norm load_rms_norm(WeightLoader& weights, const std::string& name, uint32_t columns, float eps) {
    return {weights.tensor(name + ".weight", {columns}, 1, columns, Type::f32), {}, eps};
}

FeedForward load_feed_forward(WeightLoader& weights, const std::string& layer, uint32_t hidden,
                              uint32_t intermediate, float norm_eps) {
    return {
        .fc1 = weights.linear(layer + ".fc1", {.out = intermediate, .in = hidden}),
        .fc2 = weights.linear(layer + ".fc2", {.out = hidden, .in = intermediate}),
        .norm = weights.norm(layer + ".final_layer_norm", hidden, norm_eps),
    };
}

FeedForward load_gated_feed_forward(WeightLoader& weights, const std::string& layer,
                                    uint32_t hidden, uint32_t intermediate, const Norm& norm) {
    const std::string both[] = {layer + ".mlp.gate_proj", layer + ".mlp.up_proj"};
    // Loaded as heads, so that each half begins at a multiple of eight columns.
    return {
        .fc1 = weights.stacked(both, {.out = intermediate, .in = hidden, .out_head = intermediate}),
        .fc2 = weights.linear(layer + ".mlp.down_proj",
                              {.out = hidden, .in = intermediate, .in_head = intermediate}),
        .norm = norm,
        .gated = true,
    };
}

Stream stream_around(Commands& c, const Tensor& x, const Tensor& pos, Type type) {
    auto alike = [&] { return c.scratch(x.batch, x.rows, x.columns, type); };
    return {x, type == Type::f32 ? x : alike(), pos ? alike() : Tensor{}, pos};
}

void self_attend(Commands& c, const Stream& s, const Stream& next, const SelfAttention& w,
                 const Heads& heads, uint32_t layer, Tap& tap) {
    auto scope = c.scope("self-attention");
    const Tensor qk = linear(c, s.at ? s.at : s.y, w.qk);
    const uint32_t dim = qk.columns / 2;
    const Tensor q = qk.slice_columns(0, dim), k = qk.slice_columns(dim, dim);
    const Tensor v = linear(c, s.y, w.v);
    tap.attention(c, layer, q, k, heads);
    if (!tap.skips_attention(layer))
        linear_add(c, s.x, tap.heads(c, layer, attention(c, q, k, v, heads), heads), w.out);
    normalize(c, next, w.norm);
}

void feed_forward(Commands& c, const Stream& s, const Stream& next, const FeedForward& w,
                  Activation activation) {
    auto scope = c.scope("ffn");
    const Tensor inner = w.gated
                             ? glu(c, linear(c, s.y, w.fc1), w.fc2.weight.columns, Activation::silu)
                             : linear(c, s.y, w.fc1, activation);
    linear_add(c, s.x, inner, w.fc2);
    normalize(c, next, w.norm);
}

void normalize(Commands& c, const Stream& next, const Norm& norm) {
    if (norm.bias) {
        post_norm(c, next.x, norm, {next.y, next.at, next.pos});
        return;
    }
    rms_norm_into(c, next.x, next.x, {norm.weight, norm.eps});
    const bool apart = next.y.buffer != next.x.buffer || next.y.base != next.x.base;
    if (next.y && apart) copy(c, next.y, next.x);
    if (next.at) add_into(c, next.at, next.x, next.pos);
}

}  // namespace saccade
