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
#include "gpu/recorder/recent.h"

// Position embeddings for models that take pictures of any size.

namespace saccade {

// DETR's sinusoidal positions: sines and cosines of the row, then of the column, counted from 1 and
// scaled so that the last is 2 pi. (height * width, dim), row by row; dim is a multiple of four.
std::vector<float> sine_positions(Size grid, uint32_t dim);

// Interpolates learned positions (from.y * from.x, dim) to a grid of another size: bicubic with a =
// -0.75, half-pixel centres, no antialiasing, repeated border, as torch's interpolate does. With an
// `offset`, positions lie as in a grid that is larger by so many cells.
std::vector<float> resize_bicubic(std::span<const float> table, uint32_t dim, Size from, Size to,
                                  double offset = 0);
// The same with antialiasing and a = -0.5: when shrinking, the kernel is scaled up, and weights
// beyond the border are dropped.
std::vector<float> resize_bicubic_antialiased(std::span<const float> table, uint32_t dim, Size from,
                                              Size to);

// Tables that depend on the size of the picture: computed on the host for a new one, and kept on
// the device for the last few.
class PositionTables {
public:
    PositionTables(Device& device, std::string name) : device_(&device), name_(std::move(name)) {}

    // Makes `count` tables of (rows, columns) for a grid of this size, by calling `make` for each,
    // unless they exist. Nothing recorded with those of the ninth grid before it may still be
    // running.
    using Make = std::function<std::vector<float>(uint32_t table)>;
    void prepare(Size grid, uint32_t count, uint32_t rows, uint32_t columns, const Make& make);

    Size grid() const { return made_.value().grid; }
    const Tensor& operator[](uint32_t table) const {
        return made_.value().tables.at(table);
    }  // f32

private:
    struct Made {
        Size grid;
        Buffer memory;
        std::vector<Tensor> tables;
    };
    Device* device_;
    std::string name_;
    Recent<Size, Made> made_;
};

}  // namespace saccade
