#pragma once

#include <string>
#include <vector>

#include "gpu/recorder/commands.h"
#include "gpu/residual_stream.h"
#include "models/attention/tap.h"
#include "models/backbone/dino_config.h"
#include "models/backbone/position.h"
#include "models/weights/weight_loader.h"

// DINOv2 (Oquab et al. 2023), its registers (Vision Transformers Need Registers, Darcet et al.
// 2023), and DINOv3 (Siméoni et al. 2025). What differs from ViT:
// - what a branch adds to the residual stream is scaled, column by column (layer scale);
// - the perceptron may be gated (SwiGLU);
// - register tokens follow the class token; they have no place in the picture;
// - pictures may have any size: learned positions are resized, or (DINOv3) there are none, and
//   queries and keys of patches are turned by angles that grow with their place.

namespace saccade {

// The encoder: patches in, tokens out.
class Dino {
public:
    Dino(WeightLoader& weights, const DinoConfig& config);

    // Makes ready for pictures of this size.
    void prepare(Size picture);
    Size grid() const { return grid_; }
    uint32_t tokens() const { return config_.prefix_tokens() + area(grid_); }

    // The residual stream after the last block, before the final norm: (batch, tokens, hidden) f32.
    // patches: (batch, grid, 3 * patch * patch).
    Tensor encode(Commands& c, const Tensor& patches, Tap& tap) const;
    // The same step by step, for who takes tokens out between blocks: what the first block reads, and
    // one block, in place.
    Tensor embed(Commands& c, const Tensor& patches) const;
    void block(Commands& c, ResidualStream& z, uint32_t index, Tap& tap) const;
    // LN(z) of some of its tokens.
    Tensor normalize(Commands& c, const Tensor& z, Type out) const {
        return layer_norm(c, z, norm_, out);
    }

    const DinoConfig& config() const { return config_; }
    Type type() const { return patch_embedding_.weight.type; }

private:
    struct Block {
        NormLinear qkv;  // (3 * heads * head, hidden), heads padded to a multiple of eight
        Linear out;      // (hidden, heads * head), rows times layer_scale1
        NormLinear fc1;  // (intermediate, hidden), or twice as many: gate, then what it lets through
        Linear fc2;      // (hidden, intermediate), rows times layer_scale2
    };
    Block load_block(WeightLoader& weights, uint32_t index) const;
    std::vector<float> start_of(Size grid) const;
    std::vector<float> turns_of(Size grid) const;
    void attend(Commands& c, ResidualStream& z, const Block& w, uint32_t layer, Tap& tap) const;
    void mlp(Commands& c, ResidualStream& z, const Block& w) const;

    DinoConfig config_;
    Size grid_;
    Linear patch_embedding_;  // (hidden, 3 * patch * patch)
    std::vector<Block> blocks_;
    Norm norm_;
    std::vector<float> first_tokens_;  // (1 + registers, hidden): what is learned of them
    std::vector<float> positions_;     // (patches of image_size, hidden), or none
    PositionTables start_;             // (tokens, hidden): z before the patches come
    PositionTables turns_;             // (patches, head size): cosines and sines
};

}  // namespace saccade
