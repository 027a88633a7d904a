#pragma once

#include <cstdint>

#include "models/backbone/hgnet_v2.h"
#include "models/detection/deformable/hybrid_config.h"
#include "models/files/json.h"

// The config fields that D-FINE and DEIMv2 share.

namespace saccade {

// A decoder that refines distributions over the edges of a box.
struct EdgeDecoderConfig {
    uint32_t bins = 32;  // an edge's distribution has bins + 1 values
    uint32_t best = 4, quality_hidden = 64, quality_layers = 2;
    // DEIMv2's decoder: RMS norms, SwiGLU, and an MLP of three layers for positions.
    bool simplified = false;
    bool gateway = true;       // gates weigh the result of cross-attention; else it is added
    bool shared_head = false;  // all layers share one MLP for the edges
    // The queries' positions are those of the first boxes in all layers; else each layer computes
    // them from the boxes before it.
    bool placed_once = false;
    // Of the perceptrons for positions, for boxes and edges, and for the quality estimate.
    Activation positions = Activation::relu, boxes = Activation::relu, quality = Activation::relu;
};

// `backbone_config` of the config, or an empty object.
HGNetV2Config read_hgnet_v2(const JsonFields& backbone);
// The channels of the output maps.
std::vector<uint32_t> used_channels(const HGNetV2Config& backbone);

// Channels and bottlenecks of a fusion block.
struct FusionSize {
    uint32_t hidden = 0, blocks = 0;
};
FusionSize read_fusion_size(const JsonFields& fields, uint32_t dim);

// The decoder with its sampling points, and without layers that only training uses.
DeformableDecoderConfig read_edge_decoder_form(const JsonFields& fields, ModelConfig common);
EdgeDecoderConfig read_edge_decoder(const JsonFields& fields);

}  // namespace saccade
