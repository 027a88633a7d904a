#pragma once

#include "gpu/ops/products.h"
#include "gpu/ops/products/tile_table.h"

// The kernels of products, each with a tile of the caller's choice: linear and conv2d choose one,
// and the tests try every tile on every device.

namespace saccade {

// What happens to the sums of a product.
struct Finish {
    Activation activation = Activation::none;
    bool accumulate = false;  // they are added to y; in a convolution, before the activation
};

// y = activation(x W^T + b), or y += x W^T + b.
void linear_tiled(Commands& c, const Tensor& y, const Tensor& x, const Linear& w,
                  const Finish& finish, const ProductTile& tile);

// y = activation(convolution of x, + y if `accumulate`).
void conv2d_tiled(Commands& c, const Tensor& y, const Tensor& x, Size size, const Conv2d& w,
                  const Finish& finish, const ProductTile& tile);

// y = activation(LN(x) W^T + b) for as few rows as the tile holds. Shared memory must hold them,
// too.
void norm_linear_of_rows(Commands& c, const Tensor& y, const Tensor& x, const Norm& norm,
                         const Linear& w, Activation activation, const RowTile& tile);

// The same on cooperative matrices: x is fp16, and the weight has fragments.
void linear_on_matrices(Commands& c, const Tensor& y, const Tensor& x, const Linear& w,
                        const Finish& finish, const MatrixTile& tile);
void conv2d_on_matrices(Commands& c, const Tensor& y, const Tensor& x, Size size, const Conv2d& w,
                        const Finish& finish, const MatrixTile& tile);

// What a folded norm reads instead of the stream; the product that adds to the stream writes it.
// See residual_stream.h.
struct FoldedInput {
    Tensor halves;       // the rows of the stream, divided by params::halves_scale
    Tensor moments;      // for each part of a row: its mean, and the sum of squared deviations
    uint32_t width = 0;  // columns of a part
    float eps = 0;       // of the norm
};
constexpr uint32_t narrowest_part = 64;  // columns; this bounds the number of moments of a row
// Whether a product with this tile can write it for y: parts are tile.bn wide.
bool can_write_folded(const Tensor& y, const MatrixTile& tile);
// y += x W^T + b, and the input of the next norm.
void linear_add_folded(Commands& c, const Tensor& y, const Tensor& x, const Linear& w,
                       const FoldedInput& to, const MatrixTile& tile);
// y = activation(LN(stream) W^T + b), where the norm is folded into W and b.
void linear_of_folded(Commands& c, const Tensor& y, const FoldedInput& from, const Linear& w,
                      Activation activation, const MatrixTile& tile);

}  // namespace saccade
