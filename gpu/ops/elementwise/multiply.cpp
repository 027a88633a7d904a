#include "gpu/ops/elementwise.h"

#include "gpu/ops/common.h"
#include "shaders/elementwise/params.h"

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
                      {pixel_threads(c), static_cast<uint32_t>(activation),
                       b ? 1u : 0u}),
               {padded(a.columns) / 4, a.rows, a.batch}, {read(a), read(b ? b : a), write(y)}, p);
}

}  // namespace saccade
