#pragma once

#include "gpu/core/geometry.h"
#include "gpu/core/tensor.h"

namespace saccade {

// A backbone's output at one scale, channels-last.
struct FeatureMap {
    Tensor x;  // (batch, height * width, channels)
    Size size;
};

}  // namespace saccade
