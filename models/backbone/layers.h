#pragma once

#include <string>

#include "gpu/ops.h"
#include "gpu/recorder/commands.h"
#include "gpu/residual_stream.h"
#include "models/attention/tap.h"
#include "models/weights/weight_loader.h"

// The parts that transformers share.

namespace saccade {

// A pre-norm encoder block: ViT's, DeiT's and YOLOS'.
struct EncoderBlock {
    NormLinear qkv;  // (3 * heads * head, hidden), heads padded to a multiple of eight
    Linear out;      // (hidden, heads * head)
    NormLinear fc1;  // (intermediate, hidden)
    Linear fc2;      // (hidden, intermediate)
};

struct EncoderForm {
    uint32_t hidden, heads, intermediate;
    float norm_eps;
    bool qkv_bias;
    Activation activation;

    uint32_t head_size() const { return hidden / heads; }
    Heads attention_heads() const;
};

// Loads `prefix`.attention.attention.query and so on.
EncoderBlock load_encoder_block(WeightLoader& weights, const std::string& prefix,
                                const EncoderForm& form);

// Which tokens a token sees: all, only itself and those before it, or only the first ones.
struct AttentionMask {
    bool causal = false;
    uint32_t keys = UINT32_MAX;  // tokens from here on are padding, which nobody looks at
};

// z' = MSA(LN(z)) + z,  z = MLP(LN(z')) + z', in place
void encoder_block(Commands& c, ResidualStream& z, const EncoderBlock& w, const EncoderForm& form,
                   uint32_t layer, Tap& tap, const AttentionMask& mask = {});
// The same of the last block, of which only the first `tokens` are read: (batch, tokens, hidden)
// f32. All tokens are looked at; what becomes of the others is worked out only if the tap wants it.
Tensor last_encoder_block(Commands& c, ResidualStream& z, uint32_t tokens, const EncoderBlock& w,
                          const EncoderForm& form, uint32_t layer, Tap& tap);

}  // namespace saccade
