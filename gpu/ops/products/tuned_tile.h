#pragma once

#include <optional>

#include "gpu/ops/products/tile_table.h"

namespace saccade {

// The tile that linear and conv2d take: the one that the tables expect to be the fastest or, on a
// device that measures (see Choices), the one that was measured to be the fastest.
std::optional<MatrixTile> best_matrix_tile(Device& device, const Product& product);
std::optional<ProductTile> best_product_tile(Device& device, const Product& product, Type type);

}  // namespace saccade
