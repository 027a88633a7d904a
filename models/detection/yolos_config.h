#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/activation.h"
#include "gpu/core/geometry.h"
#include "models/files/json.h"

namespace saccade {

// model_type yolos. Missing fields take transformers' defaults.
struct YolosConfig {
    uint32_t hidden = 0;
    uint32_t layers = 0;
    uint32_t heads = 0;
    uint32_t intermediate = 0;
    uint32_t patch = 0;
    Size grid;  // of the stored positions; pictures may have any size
    float norm_eps = 0;
    bool qkv_bias = true;
    Activation activation = Activation::gelu_erf;
    uint32_t detection_tokens = 0;
    bool mid_positions = false;  // positions are added again after every block but the last
    std::vector<std::string> labels;

    // Of the stored positions: class token, patches, detection tokens.
    uint32_t tokens() const { return 1 + area(grid) + detection_tokens; }
};
YolosConfig read_yolos_config(const Json& json, const std::string& where);

}  // namespace saccade
