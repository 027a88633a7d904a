#pragma once

#include <string>
#include <vector>

#include "gpu/core/geometry.h"
#include "models/files/json.h"
#include "models/picture/preprocessor.h"

// timm's folders on the Hub. Their config.json has `architecture`, a name that implies all sizes of
// a model, and `pretrained_cfg`, the preprocessing.

namespace saccade {

struct TimmConfig {
    std::string architecture;  // "vit_base_patch16_224"
    Size image;
    std::vector<std::string> labels;  // empty: the model has no classifier
};
TimmConfig read_timm_config(const JsonFields& fields);

// timm's preprocessing: Pillow's resize of the shorter edge to input_size / crop_pct, centre crop.
Preprocessor timm_preprocessor(const Json& config, const std::string& where);

// The same model as transformers' config.json would describe it.
Json vit_config_of_timm(const Json& config, const std::string& where);   // ViT, DeiT
Json swin_config_of_timm(const Json& config, const std::string& where);  // Swin

}  // namespace saccade
