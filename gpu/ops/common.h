#pragma once

// What the files of the operations share.

#include <algorithm>
#include <string>
#include <vector>

#include "gpu/core/device.h"
#include "gpu/core/error.h"
#include "gpu/core/geometry.h"
#include "gpu/ops/norms.h"
#include "shaders/common/params.h"

namespace saccade {

inline params::View view(const Tensor& t, uint32_t first_row = 0) {
    return {t.offset + first_row * t.row_stride, t.batch_stride, t.row_stride};
}

// Where the memory begins that a tensor lies in: its view counts from there.
inline void put_memory_address(uint32_t (&to)[2], const Device& device, Tensor tensor) {
    tensor.offset = 0;
    put_address(to, device, tensor);
}

// A weight that is kept only in fragments is a shape: it has no bytes.
inline bool can_be_read(const Tensor& weight) { return weight.bytes > 0; }

// The rows that a kernel goes over: (batch, rows) of each tensor, or all rows as one batch where
// none of the tensors has gaps between its batches.
struct Span {
    uint32_t batch, rows;
};
template <typename... Tensors>
Span rows_of(const Tensor& first, const Tensors&... others) {
    auto gapless = [](const Tensor& t) { return t.batch_stride == t.rows * t.row_stride; };
    if (gapless(first) && (gapless(others) && ...)) return {1, first.batch * first.rows};
    return {first.batch, first.rows};
}

// For kernels with a workgroup or more for each row. A device need not take more than 65535 of them
// on an axis, so more rows are recorded as several dispatches: record(first row, number of rows).
template <typename Record>
void in_pieces(uint32_t rows, const Record& record) {
    constexpr uint32_t most = 65535;
    for (uint32_t first = 0; first < rows; first += std::min(most, rows - first))
        record(first, std::min(most, rows - first));
}

// Shapes are checked at record time, always.
inline void require(bool holds, const char* op, const std::string& what) {
    if (!holds) throw Error(std::string(op) + ": " + what);
}

// Kernels that load four elements at once need rows that begin on multiples of four.
inline void require_wide(const Tensor& t, const char* op) {
    require(t.offset % 4 == 0 && t.row_stride % 4 == 0 && (t.batch == 1 || t.batch_stride % 4 == 0),
            op, t.shape() + " does not begin on multiples of four");
}

// Kernels on cooperative matrices, and those for few rows, load eight halves at once; those on
// tiles in shared memory load 16 bytes.
inline bool loads_eights(const Tensor& t) {
    return t.offset % 8 == 0 && t.row_stride % 8 == 0 && (t.batch == 1 || t.batch_stride % 8 == 0);
}
inline bool loads_wide(const Tensor& t) { return t.type == Type::f32 || loads_eights(t); }

inline void require_f32(const Tensor& t, const char* op) {
    require(t.type == Type::f32, op, t.shape() + " is not f32");
}
inline void require_wide_f32(const Tensor& t, const char* op) {
    require_f32(t, op);
    require_wide(t, op);
}
inline void require_same_rows(const Tensor& a, const Tensor& b, const char* op) {
    require(a.batch == b.batch && a.rows == b.rows, op, a.shape() + " beside " + b.shape());
}
// One list of indices for each batch.
inline void require_list(const Tensor& list, uint32_t batch, const char* op) {
    require(list.type == Type::u32 && list.rows == 1 && list.batch == batch, op,
            "a list " + list.shape() + " for " + std::to_string(batch) + " batches");
}

inline std::string text(Size size) { return std::to_string(size.y) + "x" + std::to_string(size.x); }
// A picture, channels last: (batch, height * width, channels).
inline void require_picture(const Tensor& x, Size size, const char* op) {
    require(x.rows == area(size) && area(size) > 0, op,
            x.shape() + " is not a picture of " + text(size));
    require_wide(x, op);
}
// How many windows of a convolution fit into a side.
inline uint32_t windows_along(uint32_t side, uint32_t kernel, uint32_t stride, uint32_t padding) {
    const uint32_t room = side + 2 * padding;
    return room < kernel ? 0 : (room - kernel) / stride + 1;
}

// A norm over the columns of x.
inline void require_norm(const Norm& w, const Tensor& x, const char* op) {
    require(w.weight.columns == x.columns && w.bias.columns == x.columns &&
                w.weight.type == Type::f32 && w.bias.type == Type::f32 && w.weight.offset == 0 &&
                w.bias.offset == 0,
            op, "weights " + w.weight.shape() + ", " + w.bias.shape() + " for " + x.shape());
}

// A part of a table that is too large for one binding. Parts begin on multiples of 64 rows: rows
// are multiples of 16 bytes, so any device's alignment is met.
struct Part {
    Tensor rows;
    uint32_t first_row;
};
std::vector<Part> parts_of(const Tensor& table, const Limits& limits);

inline uint32_t divide_up(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

// Where kernels read texel buffers (see Pipelines::best), loads are cheap, and threads that meet at
// barriers to share them are slower than threads that load on their own.
inline bool loads_texels(const Commands& c, Type type) {
    return c.device().features().texel_loads && !c.plain_kernels() && type == Type::f32;
}

// Threads that work on one row together: whole subgroups on a GPU. Software Vulkan runs the lanes
// of one SIMD register for free and pays for every further one at each barrier.
inline uint32_t row_threads(const Commands& c) { return c.device().is_cpu() ? 4 : 128; }

// For kernels with long loops: `threads`, or more of them on software Vulkan. There Mesa ends the
// loops of a thread after 65535 steps, counted over all of its loops, and the result is wrong.
// `steps` are those of all threads together.
inline uint32_t threads_for_steps(const Commands& c, uint32_t threads, uint64_t steps) {
    if (c.device().is_cpu())
        while (threads < 256 && steps / threads > 50'000) threads *= 2;
    return threads;
}

// Threads of a workgroup where each works by itself: on a pixel, or on four columns of a row.
inline uint32_t pixel_threads(const Commands& c) { return c.device().is_cpu() ? 4 : 64; }

}  // namespace saccade
