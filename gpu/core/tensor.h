#pragma once

#include <cstdint>
#include <string>

#include "gpu/core/handles.h"

namespace saccade {

// How a tensor is stored. Arithmetic is always fp32.
enum class Type : uint8_t { f32, f16, u32 };
constexpr uint32_t bytes_of(Type type) { return type == Type::f16 ? 2 : 4; }
const char* name_of(Type type);

// Rows are padded with zeros to a multiple of this many elements, so that kernels may use wide
// loads past the end of a row.
constexpr uint32_t row_quantum = 8;
constexpr uint32_t padded(uint32_t columns) {
    return (columns + row_quantum - 1) / row_quantum * row_quantum;
}

// A view of (batch, rows, columns) elements in a buffer. It owns nothing.
struct Tensor {
    VkBuffer buffer = nullptr;
    uint64_t base = 0;   // the byte in the buffer where the memory of the whole tensor begins
    uint64_t bytes = 0;  // of that memory
    Type type = Type::f32;
    uint32_t offset = 0;  // elements from `base` to the first one
    uint32_t batch = 0, rows = 0, columns = 0;
    uint32_t batch_stride = 0, row_stride = 0;  // elements

    explicit operator bool() const { return buffer != nullptr; }
    uint32_t all_rows() const { return batch * rows; }
    std::string shape() const;  // "(1, 197, 768) f16", for errors

    // Some rows of every batch, or some columns of every row. The first column must lie on a
    // multiple of four, because kernels load four elements at once.
    Tensor slice_rows(uint32_t first, uint32_t count) const;
    Tensor slice_columns(uint32_t first, uint32_t count) const;
    // The same memory as (1, batch * rows, columns), which needs batches without gaps.
    Tensor flat() const;
    Tensor at_batch(uint32_t index) const;
    // Batches 0, step, 2 step and so on. The batches must be a multiple of `step`.
    Tensor every_batch(uint32_t step) const;
    // (n, 1, columns) as (n / count, count, columns), and the inverse, (m, count, columns) without
    // gaps as (m * count, 1, columns).
    Tensor batches_as_rows(uint32_t count) const;
    Tensor batches_as_rows() const { return batches_as_rows(batch); }
    Tensor rows_as_batches() const;
};

// The bytes that a tensor of this shape takes.
uint64_t tensor_bytes(uint32_t batch, uint32_t rows, uint32_t columns, Type type);
// A tensor at the beginning of [base, base + bytes) of a buffer, rows padded as all are.
Tensor make_tensor(VkBuffer buffer, uint64_t base, uint32_t batch, uint32_t rows, uint32_t columns,
                   Type type);

}  // namespace saccade
