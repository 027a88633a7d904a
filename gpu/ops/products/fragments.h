#pragma once

#include "gpu/ops/products.h"
#include "shaders/products/params.h"

namespace saccade {

// The addresses of the memory that x lies in, and of fragments.
params::ProductAddresses product_addresses(const Device& device, const Tensor& x,
                                           const Tensor& fragments);

// x, or an aligned copy of it: products on cooperative matrices load 16 bytes at once.
Tensor loadable(Commands& c, const Tensor& x);

}  // namespace saccade
