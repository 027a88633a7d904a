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
    in_pieces(a.rows, [&](uint32_t first, uint32_t count) {
        const bool same = b && b.rows == 1;  // every row meets the same one
        params::MultiplyParams p{view(a, first), b ? view(b, same ? 0 : first) : view(a, first),
                                 view(y, first), a.columns};
        if (same) p.b.row_stride = 0;
        c.dispatch(Kernel(op, a.type, y.type,
                          {pixel_threads(c), static_cast<uint32_t>(activation), b ? 1u : 0u}),
                   {padded(a.columns) / 4, count, a.batch}, {read(a), read(b ? b : a), write(y)},
                   p);
    });
}

Tensor glu(Commands& c, const Tensor& x, uint32_t columns, Activation activation) {
    const uint32_t second = padded(columns);
    require(columns > 0 && x.columns == 2 * second, "glu",
            x.shape() + " is not two halves of " + std::to_string(columns));
    return multiply(c, x.slice_columns(0, columns), x.slice_columns(second, columns), x.type,
                    activation);
}

}  // namespace saccade
