#pragma once

#include "models/backbone/resnet.h"
#include "models/files/json.h"

// What files say of a ResNet.

namespace saccade {

// What transformers' ResNets have in common: blocks, channels, strides.
ResNetConfig read_resnet_layers(const JsonFields& fields, WholeRange stems);

// transformers' own ResNet: a config.json of its own, or a `backbone_config`.
ResNetConfig read_transformers_resnet(const JsonFields& fields);

// RT-DETR's ResNet-D, all stages of it.
ResNetConfig read_resnet_d(const JsonFields& fields);

// A backbone hands out the outputs of several stages, of which the last is taken. Stage 0 is the
// stem. Names come as "stage4" (transformers) or "layer4" (timm), numbers also from the end.
void keep_stages(const JsonFields& fields, ResNetConfig& config);

// `output_stride`, where it is given.
void read_output_stride(const JsonFields& fields, ResNetConfig& config);

}  // namespace saccade
