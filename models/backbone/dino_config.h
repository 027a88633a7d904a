#pragma once

#include <string>
#include <vector>

#include "gpu/activation.h"
#include "gpu/core/geometry.h"
#include "models/files/json.h"

namespace saccade {

// DINOv2 (dinov2), the same with registers (dinov2_with_registers) and DINOv3 (dinov3_vit). Missing
// fields take transformers' defaults.
struct DinoConfig {
    // Learned position embeddings that are interpolated, without or with antialiasing, or RoPE.
    enum class Positions { resized, resized_antialiased, rotary };

    uint32_t hidden = 0, layers = 0, heads = 0, intermediate = 0;
    Size image, patch;
    float norm_eps = 0;
    bool query_bias = true, key_bias = true, value_bias = true, out_bias = true, mlp_bias = true;
    bool gated = false;  // SwiGLU instead of a two-layer MLP
    Activation activation = Activation::gelu_erf;
    uint32_t registers = 0;
    Positions positions = Positions::resized;
    double position_offset = 0;  // see resize_bicubic
    float rope_theta = 0;
    bool third = false;               // DINOv3's tensor names
    std::string prefix;               // of tensor names, in files of a model with a classifier
    std::vector<std::string> labels;  // empty: the model has no classifier

    uint32_t head_size() const { return hidden / heads; }
    uint32_t prefix_tokens() const { return 1 + registers; }
    Size grid_of(Size picture) const { return picture / patch; }
};
DinoConfig read_dino_config(const Json& json, const std::string& where);

// DINOv2's authors resize positions for a grid that is larger by a tenth of a cell.
void follow_authors(DinoConfig& config);

}  // namespace saccade
