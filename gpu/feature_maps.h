#pragma once

#include "gpu/ops.h"

// The operations that look at what a model knows of each patch, besides those of gpu/ops.h and made
// alike. Features are (1, tokens, columns) f32, of which those from `first` on are the cells of a
// map, row after row.

namespace saccade {

// How alike the features of one token and those of each cell are, by their cosine: y is (1, rows,
// columns) f32, the map.
void cosines_into(Commands& c, const Tensor& y, const Tensor& features, uint32_t token,
                  uint32_t first);

// Three directions along which the cells' features differ most: (1, 3, columns) f32, turned towards
// the principal components by some steps of orthogonal iteration. From the directions of a picture
// that is much like this one a few steps are enough, and signs and order stay what they were. If
// there are none yet (`fresh`), it takes some dozens. maps (3, rows, columns) f32 is where the
// cells lie along them.
struct PrincipalSteps {
    uint32_t steps = 2;
    bool fresh = false;
};
void principal_into(Commands& c, const Tensor& maps, const Tensor& basis, const Tensor& features,
                    uint32_t first, const PrincipalSteps& how);

// The range of each map without a part of its cells at either end: ranges is (1, maps, 2) f32. It
// keeps this much of what it was.
struct Quantiles {
    float part = 0.02f, keep = 0;
};
void quantiles_into(Commands& c, const Tensor& ranges, const Tensor& maps, const Quantiles& how);

// Maps (n, rows, columns) f32 brought into such ranges, in place: the range becomes 0 to 1, and
// what is beyond lies at its ends.
void stretch_to_range(Commands& c, const Tensor& maps, const Tensor& ranges);
// Nothing is larger than `factor` times the range's upper end.
void limit_to_range(Commands& c, const Tensor& maps, const Tensor& ranges, float factor);

}  // namespace saccade
