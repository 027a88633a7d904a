#pragma once

#include "gpu/ops/products.h"
#include "shaders/products/params.h"

namespace saccade {

// Of the memory that x lies in, and of fragments.
params::ProductAddresses product_addresses(const Device& device, const Tensor& x,
                                           const Tensor& fragments);

// x, or a copy of it that begins where products on cooperative matrices can load it.
Tensor loadable(Commands& c, const Tensor& x);

}  // namespace saccade
