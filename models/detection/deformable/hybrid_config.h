#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpu/sampling.h"
#include "models/backbone/config.h"
#include "models/backbone/resnet.h"
#include "models/detection/deformable/hybrid_encoder.h"
#include "models/detection/deformable/lite_encoder.h"
#include "models/files/json.h"

// What the configs of RT-DETR and its children say in the same words.

namespace saccade {

// Sizes that a config may name: channels, widths.
inline constexpr WholeRange sides{1, 65536};

struct DeformableDecoderConfig {
    uint32_t dim = 0, layers = 0, heads = 0, intermediate = 0, queries = 0;
    std::vector<uint32_t> channels;  // of the encoder's maps
    uint32_t levels = 0;             // that the decoder looks at: those, and smaller ones
    bool projects = true;            // false: maps go to the decoder as they are
    ProjectionNames projections{"model.decoder_input_proj."};
    Sampling sampling;
    Activation activation = Activation::relu;
    float norm_eps = 1e-5f;
    double batch_norm_eps = 1e-5;
    std::vector<std::string> labels;
};

struct HybridConfig {
    HybridEncoderConfig encoder;
    std::optional<LiteEncoderConfig> lite = std::nullopt;  // what there is in place of it
    DeformableDecoderConfig decoder;
    float darkest = 0, brightest = 1;  // of pixels, as the preprocessor makes them
};

// Which of the backbone's `count` stages are used, counted from 0 (the file counts the stem as 0).
std::vector<uint32_t> read_used_stages(const JsonFields& backbone, uint32_t count,
                                       std::vector<uint32_t> otherwise);
// All but what a fusion block is made of.
HybridEncoderConfig read_hybrid_encoder(const JsonFields& fields,
                                        const std::vector<uint32_t>& channels);
// RT-DETR's backbone and encoder.
struct RtDetrVision {
    ResNetConfig backbone;
    std::vector<uint32_t> stages;  // of the backbone that are used, counted from 0
    HybridEncoderConfig encoder;
};
RtDetrVision read_rt_detr_vision(const JsonFields& fields);
// All but how its points lie.
DeformableDecoderConfig read_deformable_decoder(const JsonFields& fields, ModelConfig common);
// decoder_method and decoder_offset_scale, which RT-DETR's first version does not have.
void read_sampling(const JsonFields& fields, Sampling& sampling);

}  // namespace saccade
