#pragma once

#include "gpu/activation.h"
#include "gpu/core/tensor.h"
#include "gpu/recorder/commands.h"
#include "shaders/elementwise/params.h"

// Element by element: sums, products, and copies that change type or layout.

namespace saccade {

// y = a + b; a b of one batch is added to every batch of a.
Tensor add(Commands& c, const Tensor& a, const Tensor& b, Type out);
void add_into(Commands& c, const Tensor& y, const Tensor& a, const Tensor& b);

// x[i][j] += column[i], in place: x (batch, rows, columns), column (batch, rows, 1) f32.
void add_column(Commands& c, const Tensor& x, const Tensor& column);

// x = g x + h other of an fp32 stream, in place; gates (batch, rows, 2 * padded columns) f32 are g
// and h side by side.
void gated_add(Commands& c, const Tensor& x, const Tensor& other, const Tensor& gates);

// y = activation(a) * b; a b of one row multiplies every row of a. Without b, y = activation(a).
Tensor multiply(Commands& c, const Tensor& a, const Tensor& b, Type out,
                Activation activation = Activation::none);
void multiply_into(Commands& c, const Tensor& y, const Tensor& a, const Tensor& b,
                   Activation activation = Activation::none);

// A gated linear unit: activation(x1) * x2, where x1 and x2 are the two halves of x's columns, each
// padded to a multiple of eight: x (batch, rows, 2 * padded(columns)). It is multiply of two
// slices.
Tensor glu(Commands& c, const Tensor& x, uint32_t columns, Activation activation);

// Copies, and converts between f32 and f16. A `from` of one batch is copied into every batch.
void copy(Commands& c, const Tensor& to, const Tensor& from);

// The same for up to four dimensions and any strides: y[i][j][k][l] = scale x[i][j][k][l], zero
// where x ends before y does. The loader converts the tensors of a checkpoint with it: x is an
// upload buffer with the bytes of the file.
enum class Stored : uint32_t {
    f32 = params::stored_f32,
    f16 = params::stored_f16,
    bf16 = params::stored_bf16,
};
struct Layout {
    uint32_t size[4] = {1, 1, 1, 1};
    uint32_t stride[4] = {0, 0, 0, 1};  // elements
    uint32_t offset = 0;
};
void copy_strided(Commands& c, const Tensor& to, const Layout& y, const Tensor& from, Stored stored,
                  const Layout& x, float scale = 1.0f);

}  // namespace saccade
