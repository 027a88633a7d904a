#pragma once

#include <string>

#include "gpu/ops/attention.h"
#include "gpu/ops/products.h"
#include "gpu/ops/products/residual_stream.h"
#include "gpu/recorder/commands.h"
#include "models/attention/tap.h"
#include "models/weights/weight_loader.h"

// The pre-norm transformer block.

namespace saccade {

// The encoder block of ViT, DeiT, YOLOS, CLIP and others.
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

// The attention mask: every token attends to all, only to itself and earlier ones (causal), or only
// to the first `keys`.
struct AttentionMask {
    bool causal = false;
    uint32_t keys = UINT32_MAX;  // tokens from here on are padding
};

// z' = MSA(LN(z)) + z,  z = MLP(LN(z')) + z', in place
void encoder_block(Commands& c, ResidualStream& z, const EncoderBlock& w, const EncoderForm& form,
                   uint32_t layer, Tap& tap, const AttentionMask& mask = {});
// The last block, of which only the first `tokens` are read: (batch, tokens, hidden) f32. They
// attend to all tokens; the others are updated only if the tap wants them.
Tensor last_encoder_block(Commands& c, ResidualStream& z, uint32_t tokens, const EncoderBlock& w,
                          const EncoderForm& form, uint32_t layer, Tap& tap);

}  // namespace saccade
