#pragma once

#include "gpu/core/geometry.h"
#include "gpu/core/tensor.h"
#include "gpu/recorder/commands.h"

// Feature maps: pictures of channels, (batch, height * width, channels), made smaller and larger;
// and maps that show how similar the features of patches are.

namespace saccade {

// The largest of each kernel x kernel window; what lies outside of the picture does not count.
struct Pool {
    uint32_t kernel = 3, stride = 2, padding = 1;
    uint32_t zeros_after = 0;  // columns and rows of zeros that do count, at the right and below
    Size out_size(Size in_size) const;
};
Tensor max_pool(Commands& c, const Tensor& x, Size size, const Pool& pool);
void max_pool_into(Commands& c, const Tensor& y, const Tensor& x, Size size, const Pool& pool);

// The mean of each 2 x 2 pixels; at an odd end, of those that there are.
Tensor avg_pool(Commands& c, const Tensor& x, Size size);
constexpr Size halved(Size size) { return {(size.x + 1) / 2, (size.y + 1) / 2}; }

// Every pixel of x, of a picture of this size, as factor x factor pixels of y.
void upsample_into(Commands& c, const Tensor& y, const Tensor& x, Size size, uint32_t factor);

// x, a picture of this size, enlarged to another: bilinear between the middles of pixels.
Tensor enlarge(Commands& c, const Tensor& x, Size from, Size to);

// y = x + the nearest of a smaller picture: y is (batch, pixels, channels), x (1, pixels, channels)
// the same for every batch, small (batch, pixels of small_size, channels).
Tensor add_enlarged(Commands& c, const Tensor& x, Size size, const Tensor& small, Size small_size);

// Four neighbouring cells of a map side by side, column by column: (batch, ceil(height / 2) *
// ceil(width / 2), 4 * columns), zero where the map has ended.
Tensor merge_patches(Commands& c, const Tensor& x, Size map, Type out);

// The cosine similarity of one token's features and those of each cell: y is (1, rows, columns)
// f32, the map.
void cosines_into(Commands& c, const Tensor& y, const Tensor& features, uint32_t token,
                  uint32_t first);

// The first three principal components of the cells' features, by some steps of orthogonal
// iteration on basis (1, 3, columns) f32. From the basis of a similar picture a few steps are
// enough, and signs and order stay as they were; without one (`fresh`) it takes some dozens. maps
// (3, rows, columns) f32 are the cells' coordinates along them.
struct PrincipalSteps {
    uint32_t steps = 2;
    bool fresh = false;
};
void principal_into(Commands& c, const Tensor& maps, const Tensor& basis, const Tensor& features,
                    uint32_t first, const PrincipalSteps& how);

// The range of each map between two quantiles, `part` and 1 - part: ranges is (1, maps, 2) f32. A
// moving average: it keeps the share `keep` of its old value.
struct Quantiles {
    float part = 0.02f, keep = 0;
};
void quantiles_into(Commands& c, const Tensor& ranges, const Tensor& maps, const Quantiles& how);

// Stretches maps (n, rows, columns) f32 in place: the range becomes 0 to 1, and values beyond it
// are clamped.
void stretch_to_range(Commands& c, const Tensor& maps, const Tensor& ranges);
// Clamps values to at most `factor` times the range's upper end.
void limit_to_range(Commands& c, const Tensor& maps, const Tensor& ranges, float factor);

}  // namespace saccade
