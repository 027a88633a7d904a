#pragma once

#include "gpu/core/device.h"
#include "gpu/core/tensor.h"
#include "gpu/ops/common.h"
#include "gpu/products/weight_copies.h"
#include "gpu/recorder/commands.h"
#include "shaders/products/params.h"

namespace saccade {

// Where the memory begins that a tensor lies in: its view counts from there.
inline void put_memory_address(uint32_t (&to)[2], const Device& device, Tensor tensor) {
    tensor.offset = 0;
    put_address(to, device, tensor);
}

// Of the memory that x lies in, and of fragments.
params::ProductAddresses product_addresses(const Device& device, const Tensor& x,
                                           const Tensor& fragments);

// A weight of which only fragments are kept is a shape: it has no bytes.
inline bool can_be_read(const Tensor& weight) { return weight.bytes > 0; }

// x, or a copy of it that begins where products on cooperative matrices can load it.
Tensor loadable(Commands& c, const Tensor& x);

}  // namespace saccade
