#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "gpu/core/buffer.h"
#include "gpu/core/device.h"
#include "gpu/core/geometry.h"
#include "gpu/core/tensor.h"

// Where a token lies in the picture, for models that take pictures of any size.

namespace saccade {

// DETR's fixed positions: sines and cosines of the row, then of the column, each counted from 1 and
// scaled so that the last is 2 pi. (height * width, dim), row after row; dim is a multiple of four.
std::vector<float> sine_positions(Size grid, uint32_t dim);

// Learned positions, a grid of dim numbers a cell, for a grid of another size: bicubic with a =
// -0.75, cell centres aligned, not antialiased, the border repeated; what torch's interpolate does.
std::vector<float> resize_bicubic(std::span<const float> table, uint32_t dim, Size from, Size to);
// The same, antialiased, with a = -0.5: the kernel is as wide as a cell of the larger grid, and
// weights beyond the border are left out.
std::vector<float> resize_bicubic_antialiased(std::span<const float> table, uint32_t dim, Size from,
                                              Size to);

// Tables that follow the size of the picture: worked out on the host when it changes, and kept on
// the device until it changes again.
class PositionTables {
public:
    PositionTables(Device& device, std::string name) : device_(&device), name_(std::move(name)) {}

    // Makes `count` tables of (rows, columns) for a grid of this size, by calling `make` for each;
    // does nothing where they are there. Nothing recorded with the old ones may still be running.
    using Make = std::function<std::vector<float>(uint32_t table)>;
    void prepare(Size grid, uint32_t count, uint32_t rows, uint32_t columns, const Make& make);

    Size grid() const { return grid_; }
    const Tensor& operator[](uint32_t table) const { return tables_.at(table); }  // f32

private:
    Device* device_;
    std::string name_;
    Size grid_;
    Buffer memory_;
    std::vector<Tensor> tables_;
};

}  // namespace saccade
