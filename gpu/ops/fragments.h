#pragma once

#include "gpu/device.h"
#include "gpu/tensor.h"
#include "shaders/params.h"

namespace saccade {

// Vulkan has no other way to find out than to run a kernel.
HeldFragments ask_how_fragments_are_held(Device& device);

// Of the memory that x lies in, and of fragments.
params::ProductAddresses product_addresses(const Device& device, const Tensor& x,
                                           const Tensor& fragments);

}  // namespace saccade
