#pragma once

#include "models/backbone/resnet.h"
#include "models/files/json.h"

// Reads a ResNet's config.

namespace saccade {

// The fields that transformers' ResNets share: blocks, channels, strides.
ResNetConfig read_resnet_layers(const JsonFields& fields, WholeRange stems);

// transformers' own ResNet: a config.json of its own, or a `backbone_config`.
ResNetConfig read_transformers_resnet(const JsonFields& fields);

// RT-DETR's ResNet-D, with all stages.
ResNetConfig read_resnet_d(const JsonFields& fields);

// Drops the stages after the last that out_features or out_indices name. Stage 0 is the stem. Names
// are "stage4" (transformers) or "layer4" (timm); indices may count from the end.
void keep_stages(const JsonFields& fields, ResNetConfig& config);

// `output_stride`, if there is one.
void read_output_stride(const JsonFields& fields, ResNetConfig& config);

}  // namespace saccade
