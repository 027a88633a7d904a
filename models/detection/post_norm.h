#pragma once

#include <string>

#include "gpu/ops.h"
#include "gpu/recorder/commands.h"
#include "models/attention/tap.h"
#include "models/weights/weight_loader.h"

// The layers that DETR and its children share: post-norm, x = LN(x + f(x)), with positions that are
// added to queries and keys of an attention, never to values. A norm without a bias is one by length
// alone (RMS norm: Zhang and Sennrich 2019).

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
    bool gated = false;  // fc1 is a gate and, below it, what passes it: (2 * intermediate, hidden)
};
// `layer`.fc1, `layer`.fc2 and `layer`.final_layer_norm.
FeedForward load_feed_forward(WeightLoader& weights, const std::string& layer, uint32_t hidden,
                              uint32_t intermediate, float norm_eps);
// SwiGLU (Shazeer 2020): `layer`.mlp.gate_proj, up_proj and down_proj.
FeedForward load_gated_feed_forward(WeightLoader& weights, const std::string& layer,
                                    uint32_t hidden, uint32_t intermediate, const Norm& norm);

// The scale is that of the model's heads, not of the padded ones.
Heads heads_of(uint32_t count, uint32_t hidden);

// The residual stream, and what products read of it.
struct Stream {
    Tensor x;    // (batch, tokens, hidden) f32
    Tensor y;    // x as products want it: x itself where that is fp32
    Tensor at;   // x + pos, as products want it
    Tensor pos;  // (tokens, hidden) f32, of one batch or of each

    // What a norm writes where queries and keys are not read next, and where nothing else is.
    Stream values() const { return {x, y, {}, {}}; }
    Stream queries() const { return {x, {}, at, pos}; }
};
// Around x, with memory for what products of this type read.
Stream stream_around(Commands& c, const Tensor& x, const Tensor& pos, Type type);

// x = LN(x + MSA(q, k, v)) with q = k = x + pos, v = x; then what `next` asks for.
void self_attend(Commands& c, const Stream& s, const Stream& next, const SelfAttention& w,
                 const Heads& heads, uint32_t layer, Tap& tap);
// x = LN(x + FFN(x)); a gated one has SiLU, whatever the others have
void feed_forward(Commands& c, const Stream& s, const Stream& next, const FeedForward& w,
                  Activation activation);
// x = LN(x)
void normalize(Commands& c, const Stream& next, const Norm& norm);

}  // namespace saccade
