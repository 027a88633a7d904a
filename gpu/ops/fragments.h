#pragma once

#include "gpu/core/device.h"
#include "gpu/core/tensor.h"
#include "shaders/params.h"

namespace saccade {

// Of the memory that x lies in, and of fragments.
params::ProductAddresses product_addresses(const Device& device, const Tensor& x,
                                           const Tensor& fragments);

}  // namespace saccade
