#pragma once

#include "gpu/core/device.h"
#include "gpu/core/tensor.h"

namespace saccade {

// The number of rows that a weight is multiplied with at a time.
enum class Rows {
    many,  // the tokens or pixels of a picture
    few,   // the newest word of some pictures; many once in a while, as a prompt has
    any,   // both
};

// Products on cooperative matrices read a weight in fragments, all others read it row by row. A
// device holds what it reads. Where it holds fragments alone, products of few rows run on them,
// too; where it holds rows alone, a product of many makes the fragments anew.
struct WeightCopies {
    bool by_rows = true, fragments = false;
    bool operator==(const WeightCopies&) const = default;
};
// `weight` needs no memory for this, only a shape.
WeightCopies weight_copies(const DeviceInfo& device, const HeldFragments& held,
                           const Tensor& weight, Rows rows);

}  // namespace saccade
