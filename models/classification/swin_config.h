#pragma once

#include <string>
#include <vector>

#include "gpu/activation.h"
#include "gpu/core/geometry.h"
#include "models/files/json.h"

namespace saccade {

// Swin (swin) and Swin V2 (swinv2). Missing fields take transformers' defaults.
struct SwinConfig {
    struct Stage {
        uint32_t dim = 0, depth = 0, heads = 0;
        uint32_t window = 0;
        bool shifted = true;  // in every other block, if the map is larger than the window
        uint32_t pretrained_window = 0;  // V2: the unit of the coordinates; 0: the window
    };
    bool second = false;  // V2
    Size image, patch;
    std::vector<Stage> stages;
    float mlp_ratio = 4, norm_eps = 0;
    bool qkv_bias = true;
    bool absolute_positions = false;
    Activation activation = Activation::gelu_erf;
    std::string prefix;               // "swin." or "swinv2."
    std::vector<std::string> labels;  // empty: the model has no classifier

    uint32_t layers() const;
    uint32_t inner(const Stage& stage) const {
        return static_cast<uint32_t>(mlp_ratio * static_cast<float>(stage.dim));
    }
};
SwinConfig read_swin_config(const Json& json, const std::string& where);

}  // namespace saccade
