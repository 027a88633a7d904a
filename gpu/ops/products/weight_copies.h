#pragma once

#include "gpu/core/device.h"
#include "gpu/core/tensor.h"

namespace saccade {

// How many rows a weight is multiplied with at a time.
enum class Rows {
    many,  // the tokens or pixels of a picture
    few,   // the newest word of some pictures; now and then many, for a prompt
    any,   // both
};

// Products on cooperative matrices read a weight in fragments, all others read it row by row. A
// device holds the copies that it reads. Where it holds only fragments, products of few rows run on
// them, too; where it holds only rows, a product of many rows makes the fragments anew.
struct WeightCopies {
    bool by_rows = true, fragments = false;
    bool operator==(const WeightCopies&) const = default;
};
// `weight` needs no memory for this, only a shape.
WeightCopies weight_copies(const DeviceInfo& device, const HeldFragments& held,
                           const Tensor& weight, Rows rows);

}  // namespace saccade
