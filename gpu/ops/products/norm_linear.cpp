#include "gpu/ops/products.h"

#include <optional>

#include "gpu/chains/links.h"
#include "gpu/ops/common.h"
#include "gpu/ops/elementwise.h"
#include "gpu/ops/products/kernels.h"
#include "gpu/ops/products/linear_shapes.h"
#include "shaders/products/params.h"

namespace saccade {

namespace {

// Up to this many columns of the result it pays that every workgroup normalises the rows anew.
constexpr uint32_t most_columns = 8192;

// Every workgroup of norm_linear holds the rows of x in shared memory, beside its sums.
bool fits_shared(const Device& device, const RowTile& tile, const Tensor& x) {
    constexpr uint64_t most_row_bytes = 16 << 10;  // else few workgroups run at a time
    return tensor_bytes(1, tile.rows, x.columns, Type::f32) <= most_row_bytes &&
           tile.shared_bytes_with_rows(x.columns) <= device.limits().shared_bytes;
}

}  // namespace

Tensor norm_linear(Commands& c, const Tensor& x, const Norm& norm, const Linear& w,
                   Activation activation) {
    Tensor y = c.scratch(x.batch, x.rows, w.weight.rows, w.weight.type);
    norm_linear_into(c, y, x, norm, w, activation);
    return y;
}

void norm_linear_into(Commands& c, const Tensor& to, const Tensor& from, const Norm& norm,
                      const Linear& w, Activation activation) {
    constexpr const char* op = "norm_linear";
    require_linear(op, to, from, w);
    require_norm(norm, from, op);
    require(from.type == Type::f32 && (to.type == w.weight.type || to.type == Type::f32), op,
            "types " + from.shape() + ", " + w.weight.shape() + ", " + to.shape());
    const Tensor x = joined(from), y = joined(to);
    const bool readable = can_be_read(w.weight);
    if (link_product(c, to, from,
                     {.weight = w.weight,
                      .bias = w.bias,
                      .norm = ChainNorm{norm.weight, norm.bias, norm.eps},
                      .activation = activation}))
        return;
    const Span span = rows_of(x, y);
    std::optional<RowTile> few;
    if (readable && !loads_texels(c, w.weight.type))
        few = choose_row_tile(c.device().info(), span.rows, y.columns, x.columns);
    if (!few || !fits_shared(c.device(), *few, x) || y.columns > most_columns ||
        w.weight.bytes > c.device().limits().storage_range) {
        auto scope = c.scope(op);
        linear_into(c, to, layer_norm(c, from, norm, w.weight.type), w, activation);
        return;
    }
    norm_linear_of_rows(c, y, x, norm, w, activation, *few);
}

void norm_linear_of_rows(Commands& c, const Tensor& y, const Tensor& x, const Norm& norm,
                         const Linear& w, Activation activation, const RowTile& t) {
    const Span span = rows_of(x, y);
    const params::NormLinearParams p{view(x),   view(y),   w.bias ? w.bias.offset : 0, span.rows,
                                     y.columns, x.columns, w.weight.row_stride,        norm.eps};
    c.dispatch(Kernel("norm_linear", w.weight.type, y.type,
                      {t.threads, t.lanes, t.columns, t.rows, t.steps,
                       static_cast<uint32_t>(activation), w.bias ? 1u : 0u, padded(x.columns) / 8}),
               {divide_up(padded(p.n), t.group()) * t.threads, 1, span.batch},
               {read(x), read(norm.weight), read(norm.bias), read(w.weight),
                read(w.bias ? w.bias : norm.bias), write(y)},
               p);
}

void norm_linear_into(Commands& c, const Tensor& y, const Tensor& x, const RmsNorm& norm,
                      const Linear& w) {
    if (link_product(
            c, y, x,
            {.weight = w.weight, .bias = w.bias, .norm = ChainNorm{norm.weight, {}, norm.eps}}))
        return;
    auto scope = c.scope("norm_linear");
    linear_into(c, y, rms_norm(c, x, norm, w.weight.type), w);
}

Tensor gated_linear(Commands& c, const Tensor& x, const RmsNorm& norm, const Linear& gate_up,
                    Activation activation) {
    constexpr const char* op = "gated_linear";
    const uint32_t wide = gate_up.weight.rows / 2;
    require(gate_up.weight.rows == 2 * wide && gate_up.weight.columns == x.columns, op,
            gate_up.weight.shape() + " for " + x.shape());
    const Tensor y = c.scratch(x.batch, x.rows, wide, gate_up.weight.type);
    if (link_product(c, y, x,
                     {.weight = gate_up.weight,
                      .bias = gate_up.bias,
                      .norm = ChainNorm{norm.weight, {}, norm.eps},
                      .activation = activation,
                      .gated = true}))
        return y;
    auto scope = c.scope(op);
    const Tensor both = c.scratch(x.batch, x.rows, 2 * wide, y.type);
    norm_linear_into(c, both, x, norm, gate_up);
    multiply_into(c, y, both.slice_columns(0, wide), both.slice_columns(wide, wide), activation);
    return y;
}

}  // namespace saccade
