#pragma once

#include <cstdint>

#include "models/backbone/hgnet_v2.h"
#include "models/detection/deformable/hybrid_config.h"
#include "models/files/json.h"

// What the configs of D-FINE and DEIMv2 say in the same words.

namespace saccade {

// Of a decoder that refines distributions over where a box's edges lie.
struct EdgeDecoderConfig {
    uint32_t bins = 32;  // an edge's distribution has one more
    uint32_t best = 4, quality_hidden = 64, quality_layers = 2;
    // DEIMv2's decoder: norms by length alone, gated perceptrons, one for positions of three
    // layers.
    bool simplified = false;
    bool gateway = true;       // gates weigh what a query saw; else it is added
    bool shared_head = false;  // one perceptron moves the edges in all layers
};

// `backbone_config` of the config, or one without fields.
HGNetV2Config read_hgnet_v2(const JsonFields& backbone);
// The channels of the maps that are handed on.
std::vector<uint32_t> used_channels(const HGNetV2Config& backbone);

// How many channels and bottlenecks a fusion block has.
struct FusionSize {
    uint32_t hidden = 0, blocks = 0;
};
FusionSize read_fusion_size(const JsonFields& fields, uint32_t dim);

// The decoder with its points, and only its layers that count.
DeformableDecoderConfig read_edge_decoder_form(const JsonFields& fields, ModelConfig common);
EdgeDecoderConfig read_edge_decoder(const JsonFields& fields);

}  // namespace saccade
