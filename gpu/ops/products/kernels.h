#pragma once

#include "gpu/ops/products.h"
#include "gpu/ops/products/tile_table.h"

// The kernels of products, each with a tile of the caller's choice: linear and conv2d choose one,
// and the tests try every tile on every device.

namespace saccade {

// y = activation(x W^T + b), or y += x W^T + b.
void linear_tiled(Commands& c, const Tensor& y, const Tensor& x, const Linear& w,
                  Activation activation, bool accumulate, const ProductTile& tile);

// y = activation(convolution of x, + y if `accumulate`).
void conv2d_tiled(Commands& c, const Tensor& y, const Tensor& x, Size size, const Conv2d& w,
                  Activation activation, bool accumulate, const ProductTile& tile);

// y = activation(LN(x) W^T + b) for as few rows as the tile holds. Shared memory must hold them,
// too.
void norm_linear_of_rows(Commands& c, const Tensor& y, const Tensor& x, const Norm& norm,
                         const Linear& w, Activation activation, const RowTile& tile);

// The same on cooperative matrices: x is fp16, and the weight has fragments.
void linear_on_matrices(Commands& c, const Tensor& y, const Tensor& x, const Linear& w,
                        Activation activation, bool accumulate, const MatrixTile& tile);

// The input of a folded norm, which the product that adds to the stream writes: see
// residual_stream.h.
struct Noted {
    Tensor halves;       // the rows of the stream, divided by params::halves_scale
    Tensor moments;      // for each part of a row: its mean, and the sum of squared deviations
    uint32_t width = 0;  // columns of a part
    float eps = 0;       // of the norm
};
constexpr uint32_t narrowest_part = 64;  // columns; this bounds the number of moments of a row
// Whether a product by this tile can write them for y: parts are tile.bn wide.
bool can_note(const Tensor& y, const MatrixTile& tile);
// y += x W^T + b, and the input of the next norm.
void linear_add_noting(Commands& c, const Tensor& y, const Tensor& x, const Linear& w,
                       const Noted& to, const MatrixTile& tile);
// y = activation(LN(stream) W^T + b), where the norm is folded into W and b.
void linear_of_noted(Commands& c, const Tensor& y, const Noted& from, const Linear& w,
                     Activation activation, const MatrixTile& tile);

void conv2d_on_matrices(Commands& c, const Tensor& y, const Tensor& x, Size size, const Conv2d& w,
                        Activation activation, bool accumulate, const MatrixTile& tile);

}  // namespace saccade
