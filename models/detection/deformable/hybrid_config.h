#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpu/ops/deformable.h"
#include "models/backbone/config.h"
#include "models/backbone/resnet.h"
#include "models/detection/deformable/hybrid_encoder.h"
#include "models/detection/deformable/lite_encoder.h"
#include "models/files/json.h"

// The config fields that RT-DETR and its descendants share.

namespace saccade {

// The range of channels and widths in a config.
inline constexpr WholeRange sides{1, 65536};

struct DeformableDecoderConfig {
    uint32_t dim = 0, layers = 0, heads = 0, intermediate = 0, queries = 0;
    std::vector<uint32_t> channels;  // of the encoder's maps
    uint32_t levels = 0;             // of the decoder: the encoder's maps, and smaller ones
    bool projects = true;            // false: the decoder reads the encoder's maps directly
    ProjectionNames projections{"model.decoder_input_proj."};
    Sampling sampling;
    Activation activation = Activation::relu;
    float norm_eps = 1e-5f;
    double batch_norm_eps = 1e-5;
    std::vector<std::string> labels;
};

struct HybridConfig {
    HybridEncoderConfig encoder;
    std::optional<LiteEncoderConfig> lite = std::nullopt;  // replaces `encoder`
    DeformableDecoderConfig decoder;
    bool projects_memory = true;                   // see QuerySelectionForm::projects
    Activation box_activation = Activation::relu;  // of the first boxes' head
    bool stored_anchors = false;                   // see QuerySelectionForm::stored_anchors
    float darkest = 0, brightest = 1;              // range of preprocessed pixels
};

// Which of the backbone's `count` stages are output, counted from 0 (the file counts the stem as
// 0).
std::vector<uint32_t> read_used_stages(const JsonFields& backbone, uint32_t count,
                                       std::vector<uint32_t> otherwise);
// Everything but the size of the fusion blocks.
HybridEncoderConfig read_hybrid_encoder(const JsonFields& fields,
                                        const std::vector<uint32_t>& channels);
// RT-DETR's backbone and encoder.
struct RtDetrVision {
    ResNetConfig backbone;
    std::vector<uint32_t> stages;  // of the backbone that the encoder reads, counted from 0
    HybridEncoderConfig encoder;
};
RtDetrVision read_rt_detr_vision(const JsonFields& fields);
// Everything but the sampling points.
DeformableDecoderConfig read_deformable_decoder(const JsonFields& fields, ModelConfig common);
// decoder_method and decoder_offset_scale, which RT-DETRv2 introduced.
void read_sampling(const JsonFields& fields, Sampling& sampling);

}  // namespace saccade
