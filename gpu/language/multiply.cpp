#include "gpu/language.h"
#include "gpu/ops/common.h"

namespace saccade {

Tensor multiply(Commands& c, const Tensor& a, const Tensor& b, Type out, Activation activation) {
    constexpr const char* op = "multiply";
    const Tensor y = c.scratch(a.batch, a.rows, a.columns, out);
    require(!b || (b.columns == a.columns && b.batch == a.batch && b.type == a.type &&
                   (b.rows == a.rows || b.rows == 1)),
            op, a.shape() + " gated by " + b.shape());
    require_wide(a, op);
    if (b) require_wide(b, op);
    params::MultiplyParams p{view(a), view(b ? b : a), view(y), a.columns};
    if (b && b.rows == 1) p.b.row_stride = 0;  // every row meets the same one
    c.dispatch(Kernel(op, a.type, out,
                      {c.device().is_cpu() ? 4u : 64u, static_cast<uint32_t>(activation),
                       b ? 1u : 0u}),
               {padded(a.columns) / 4, a.rows, a.batch}, {read(a), read(b ? b : a), write(y)}, p);
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
