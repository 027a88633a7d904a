#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/activation.h"
#include "models/backbone/resnet.h"
#include "models/files/json.h"

namespace saccade {

// model_type detr. Missing fields take transformers' defaults.
struct DetrConfig {
    ResNetConfig backbone;
    uint32_t hidden = 0;
    uint32_t encoder_layers = 0, encoder_heads = 0, encoder_intermediate = 0;
    uint32_t decoder_layers = 0, decoder_heads = 0, decoder_intermediate = 0;
    uint32_t queries = 0;
    Activation activation = Activation::relu;
    bool masks = false;  // DetrForSegmentation: a mask for each object
    std::vector<std::string> labels;

    // The prefix of the detector's tensors in the file.
    std::string prefix() const { return masks ? "detr." : ""; }
};
DetrConfig read_detr_config(const Json& json, const std::string& where);

}  // namespace saccade
