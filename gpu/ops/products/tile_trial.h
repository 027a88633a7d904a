#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "gpu/core/buffer.h"
#include "gpu/ops/products.h"
#include "gpu/ops/products/tile_table.h"

// Matrices for timing a tile, and the names under which results are kept.

namespace saccade {

// "64x128x16/2": rows, columns, depth and splits. A tile on cooperative matrices has all of its
// numbers: "64x128x64x32x64x2*1/2", see MatrixTile.
std::string name_of_tile(const ProductTile& tile);
std::string name_of_tile(const MatrixTile& tile);
// "1x1576x768x3072": batch, rows, columns and depth.
std::string text(const Product& product);
std::string joined(std::initializer_list<uint32_t> numbers, const char* between);

// The matrices of a product. Their elements do not matter and are never written.
struct Factors {
    std::vector<Buffer> buffers;
    Tensor x, y;
    Linear w;

    Tensor make(Device& device, uint32_t batch, uint32_t rows, uint32_t columns, Type type);
};
Factors factors_of(Device& device, const Product& product, Type type, Type out, bool in_fragments);

// Whether its matrices are small enough to be made for a measurement.
constexpr uint64_t most_measured_bytes = 256ull << 20;  // of a matrix
bool can_be_measured(const Product& product, Type type);

void multiply_by_tile(Commands& c, const Factors& factors, const MatrixTile& tile,
                      Activation activation = Activation::none, bool add = false);
void multiply_by_tile(Commands& c, const Factors& factors, const ProductTile& tile,
                      Activation activation = Activation::none, bool add = false);

}  // namespace saccade
