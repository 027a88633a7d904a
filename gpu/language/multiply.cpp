#include "gpu/language.h"
#include "gpu/ops/common.h"
#include "gpu/ops/links.h"

namespace saccade {

Tensor multiply(Commands& c, const Tensor& a, const Tensor& b, Type out, Activation activation) {
    const Tensor y = c.scratch(a.batch, a.rows, a.columns, out);
    multiply_into(c, y, a, b, activation);
    return y;
}

void multiply_into(Commands& c, const Tensor& y, const Tensor& a, const Tensor& b,
                   Activation activation) {
    constexpr const char* op = "multiply";
    require(y.batch == a.batch && y.rows == a.rows && y.columns == a.columns, op,
            a.shape() + " into " + y.shape());
    require_wide(y, op);
    require(!b || (b.columns == a.columns && b.batch == a.batch && b.type == a.type &&
                   (b.rows == a.rows || b.rows == 1)),
            op, a.shape() + " gated by " + b.shape());
    require_wide(a, op);
    if (b) require_wide(b, op);
    params::MultiplyParams p{view(a), view(b ? b : a), view(y), a.columns};
    if (b && b.rows == 1) p.b.row_stride = 0;  // every row meets the same one
    c.dispatch(Kernel(op, a.type, y.type,
                      {c.device().is_cpu() ? 4u : 64u, static_cast<uint32_t>(activation),
                       b ? 1u : 0u}),
               {padded(a.columns) / 4, a.rows, a.batch}, {read(a), read(b ? b : a), write(y)}, p);
}

Tensor gated_linear(Commands& c, const Tensor& x, const RmsNorm& norm, const Linear& gate_up,
                    Activation activation) {
    constexpr const char* op = "gated_linear";
    const uint32_t wide = gate_up.weight.rows / 2;
    require(gate_up.weight.rows == 2 * wide && gate_up.weight.columns == x.columns, op,
            gate_up.weight.shape() + " for " + x.shape());
    const Tensor y = c.scratch(x.batch, x.rows, wide, gate_up.weight.type);
    if (activation != Activation::none && link_product(c, y, x, norm, gate_up, {.gate = activation}))
        return y;
    auto scope = c.scope(op);
    const Tensor both = c.scratch(x.batch, x.rows, 2 * wide, y.type);
    norm_linear_into(c, both, x, norm, gate_up);
    multiply_into(c, y, both.slice_columns(0, wide), both.slice_columns(wide, wide), activation);
    return y;
}

void take(Commands& c, const Tensor& y, const Tensor& x, const Tensor& index,
            const Selection& how) {
    constexpr const char* op = "take";
    require(y.type == Type::f32 && x.type == Type::f32 && index.type == Type::u32 &&
                y.batch == 1 && x.all_rows() == 1 && index.batch == 1 && index.rows == y.rows &&
                index.columns == y.columns,
            op, x.shape() + " by " + index.shape() + " into " + y.shape());
    const params::TakeParams p{view(x),   view(index), view(y),  x.columns,
                                 y.columns, how.keep,    how.scale};
    c.dispatch(Kernel(op, {c.device().is_cpu() ? 4u : 64u}), {padded(y.columns), y.rows},
               {read(x), read(index), how.keep != 0.0f ? read_write(y) : write(y)}, p);
}

}  // namespace saccade
