#pragma once

#include <string>

#include "gpu/ops/attention.h"
#include "gpu/ops/norms.h"
#include "gpu/ops/products.h"
#include "gpu/recorder/commands.h"
#include "models/attention/tap.h"
#include "models/weights/weight_loader.h"

// The layers of DETR and its descendants: post-norm, x = LN(x + f(x)), with positions that are
// added to the queries and keys of attention, never to values. A norm without a bias is an RMS norm
// (Zhang and Sennrich 2019).

namespace saccade {

struct SelfAttention {
    Linear qk;   // (2 * heads * head, hidden), heads padded to a multiple of eight
    Linear v;    // (heads * head, hidden)
    Linear out;  // (hidden, heads * head)
    Norm norm;
};
// `layer`.self_attn.q_proj and so on, and `layer`.self_attn_layer_norm.
SelfAttention load_self_attention(WeightLoader& weights, const std::string& layer, uint32_t hidden,
                                  const Heads& heads, float norm_eps);
SelfAttention load_self_attention(WeightLoader& weights, const std::string& layer, uint32_t hidden,
                                  const Heads& heads, const Norm& norm);

// name.weight (columns), and no bias.
Norm load_rms_norm(WeightLoader& weights, const std::string& name, uint32_t columns, float eps);

struct FeedForward {
    Linear fc1, fc2;  // (intermediate, hidden), (hidden, intermediate)
    Norm norm;
    bool gated = false;  // SwiGLU: fc1 holds gate and up projection, (2 * intermediate, hidden)
};
// `layer`.fc1, `layer`.fc2 and `layer`.final_layer_norm.
FeedForward load_feed_forward(WeightLoader& weights, const std::string& layer, uint32_t hidden,
                              uint32_t intermediate, float norm_eps);
// SwiGLU (Shazeer 2020): `layer`.mlp.gate_proj, up_proj and down_proj.
FeedForward load_gated_feed_forward(WeightLoader& weights, const std::string& layer,
                                    uint32_t hidden, uint32_t intermediate, const Norm& norm);

// The scale is by the model's head size, not the padded one.
Heads heads_of(uint32_t count, uint32_t hidden);

// The residual stream, and its copies that products read.
struct Stream {
    Tensor x;    // (batch, tokens, hidden) f32
    Tensor y;    // x in the type of the products; x itself if that is fp32
    Tensor at;   // x + pos in the type of the products
    Tensor pos;  // (tokens, hidden) f32, of one batch or of each

    // The outputs of a norm, where the next products read no queries and keys, or read only these.
    Stream values() const { return {x, y, {}, {}}; }
    Stream queries() const { return {x, {}, at, pos}; }
};
// A stream of x, with scratch memory for its copies in the type of the products.
Stream stream_around(Commands& c, const Tensor& x, const Tensor& pos, Type type);

// x = LN(x + MSA(q, k, v)) with q = k = x + pos, v = x; writes the tensors of `next`.
void self_attend(Commands& c, const Stream& s, const Stream& next, const SelfAttention& w,
                 const Heads& heads, uint32_t layer, Tap& tap);
// x = LN(x + FFN(x)); a gated one always has SiLU
void feed_forward(Commands& c, const Stream& s, const Stream& next, const FeedForward& w,
                  Activation activation);
// x = LN(x)
void normalize(Commands& c, const Stream& next, const Norm& norm);

}  // namespace saccade
