#pragma once

#include "gpu/core/geometry.h"
#include "gpu/core/tensor.h"

namespace saccade {

// What a backbone leaves of a picture at some scale, channels-last.
struct FeatureMap {
    Tensor x;  // (batch, height * width, channels)
    Size size;
};

}  // namespace saccade
