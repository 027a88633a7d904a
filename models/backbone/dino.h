#pragma once

#include <string>
#include <vector>

#include "gpu/ops/products/residual_stream.h"
#include "gpu/recorder/commands.h"
#include "models/attention/tap.h"
#include "models/backbone/dino_config.h"
#include "models/backbone/position.h"
#include "models/weights/weight_loader.h"

// DINOv2 (Oquab et al. 2023), its registers (Vision Transformers Need Registers, Darcet et al.
// 2023), and DINOv3 (Siméoni et al. 2025). What differs from ViT:
//  - each branch is scaled channel by channel before it is added to the residual stream
//    (LayerScale);
//  - the MLP may be gated (SwiGLU);
//  - register tokens, which belong to no patch, follow the class token;
//  - pictures may have any size: position embeddings are interpolated, or (DINOv3) queries and
//    keys of patches have rotary position embeddings (RoPE).

namespace saccade {

// The encoder: patches in, tokens out.
class Dino {
public:
    Dino(WeightLoader& weights, const DinoConfig& config);

    // Prepares for pictures of this size.
    void prepare(Size picture);
    Size grid() const { return grid_; }
    uint32_t tokens() const { return config_.prefix_tokens() + area(grid_); }

    // The residual stream after the last block, before the final norm: (batch, tokens, hidden) f32.
    // patches: (batch, grid, 3 * patch * patch).
    Tensor encode(Commands& c, const Tensor& patches, Tap& tap) const;
    // The same step by step, for callers that read tokens between blocks: the input of the first
    // block, and one block, in place.
    Tensor embed(Commands& c, const Tensor& patches) const;
    void block(Commands& c, ResidualStream& z, uint32_t index, Tap& tap) const;
    // LN(z) of some of the tokens.
    Tensor normalize(Commands& c, const Tensor& z, Type out) const {
        return layer_norm(c, z, norm_, out);
    }

    const DinoConfig& config() const { return config_; }
    // What the prepared picture's tokens are before the patches are added, (1, tokens, hidden);
    // empty if positions are not added.
    Tensor start() const {
        return config_.positions == DinoConfig::Positions::rotary ? Tensor() : start_[0];
    }
    Type type() const { return patch_embedding_.weight.type; }

private:
    struct Block {
        NormLinear qkv;  // (3 * heads * head, hidden), heads padded to a multiple of eight
        Linear out;      // (hidden, heads * head), rows multiplied by layer_scale1
        NormLinear fc1;  // (intermediate, hidden); gated: (2 * intermediate, hidden), gate and up
        Linear fc2;      // (hidden, intermediate), rows multiplied by layer_scale2
    };
    Block load_block(WeightLoader& weights, uint32_t index) const;
    std::vector<float> start_of(Size grid) const;
    std::vector<float> rope_of(Size grid) const;
    void attend(Commands& c, ResidualStream& z, const Block& w, uint32_t layer, Tap& tap) const;
    void mlp(Commands& c, ResidualStream& z, const Block& w) const;

    DinoConfig config_;
    Size grid_;
    Linear patch_embedding_;  // (hidden, 3 * patch * patch)
    std::vector<Block> blocks_;
    Norm norm_;
    std::vector<float> first_tokens_;  // (1 + registers, hidden): class token and registers
    std::vector<float> positions_;     // (patches of image_size, hidden), or none
    PositionTables start_;             // (tokens, hidden): z before the patches are added
    PositionTables rope_;              // (patches, head size): cosines and sines
};

}  // namespace saccade
