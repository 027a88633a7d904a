#pragma once

#include <string>
#include <vector>

#include "gpu/recorder/commands.h"
#include "models/attention/tap.h"
#include "models/backbone/config.h"
#include "models/backbone/layers.h"
#include "models/weights/weight_loader.h"

// An Image is Worth 16x16 Words (Dosovitskiy et al. 2020), and DeiT (Touvron et al. 2020), which
// adds a distillation token and a second classifier on it.

namespace saccade {

// The encoder: patches in, tokens out.
class ViT {
public:
    // `prefix` of its tensors in the file: "vit", "deit", "encoder".
    ViT(WeightLoader& weights, const ViTConfig& config, const std::string& prefix);

    // The residual stream after the last block, before the final norm: (batch, tokens, hidden) f32.
    // patches: (batch, grid, 3 * patch * patch).
    Tensor encode(Commands& c, const Tensor& patches, Tap& tap) const;
    // The same, but only the tokens before the patches, for callers that read no others.
    Tensor encode_first(Commands& c, const Tensor& patches, Tap& tap) const;
    // The rest of encode_first() from the stream before a layer on, which it overwrites.
    Tensor finish_first(Commands& c, const Tensor& z, uint32_t layer, Tap& tap) const;
    // LN(z) of some of the tokens.                                                     (eq. 4)
    Tensor normalize(Commands& c, const Tensor& z, Type out) const {
        return layer_norm(c, z, norm_, out);
    }
    void normalize_into(Commands& c, const Tensor& y, const Tensor& z) const {
        layer_norm_into(c, y, z, norm_);
    }

    // E_pos, with the class token added to its row: (tokens, hidden) f32.
    const Tensor& positions() const { return start_; }

    const ViTConfig& config() const { return config_; }

private:
    Tensor embed(Commands& c, const Tensor& patches, Tap& tap) const;
    ResidualStream blocks(Commands& c, const Tensor& z, uint32_t first, uint32_t end,
                          Tap& tap) const;

    ViTConfig config_;
    EncoderForm form_;
    Linear patch_embedding_;  // (hidden, 3 * patch * patch)
    Tensor start_;            // (tokens, hidden) f32: position embeddings, plus the class token
    std::vector<EncoderBlock> blocks_;
    Norm norm_;
};

}  // namespace saccade
