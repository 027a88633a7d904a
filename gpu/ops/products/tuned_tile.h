#pragma once

#include <optional>

#include "gpu/ops/products/tile_table.h"

namespace saccade {

// The tile that linear and conv2d take: what the tables say or, on a device that measures
// (see Choices), what has been measured to be faster.
std::optional<MatrixTile> best_matrix_tile(Device& device, const Product& product);
std::optional<ProductTile> best_product_tile(Device& device, const Product& product, Type type);

}  // namespace saccade
