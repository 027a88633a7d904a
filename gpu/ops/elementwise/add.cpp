#include "gpu/ops/elementwise.h"

#include "gpu/ops/common.h"
#include "shaders/elementwise/params.h"

namespace saccade {

Tensor add(Commands& c, const Tensor& a, const Tensor& b, Type out) {
    Tensor y = c.scratch(a.batch, a.rows, a.columns, out);
    add_into(c, y, a, b);
    return y;
}

void add_into(Commands& c, const Tensor& y, const Tensor& a, const Tensor& b) {
    constexpr const char* op = "add";
    require(a.columns == b.columns && a.rows == b.rows && (b.batch == a.batch || b.batch == 1) &&
                y.batch == a.batch && y.rows == a.rows && y.columns == a.columns &&
                a.type == b.type,
            op, a.shape() + " + " + b.shape() + " -> " + y.shape());
    for (const Tensor* t : {&y, &a, &b}) require_wide(*t, op);
    in_pieces(a.rows, [&](uint32_t first, uint32_t count) {
        params::AddParams p{view(a, first), view(b, first), view(y, first), count, a.columns};
        if (b.batch < a.batch) p.b.batch_stride = 0;  // every batch meets the same b
        c.dispatch(Kernel("add", a.type, y.type, {pixel_threads(c)}),
                   {padded(a.columns) / 4, count, a.batch},
                   {read(a), read(b), y.buffer == a.buffer ? read_write(y) : write(y)}, p);
    });
}

}  // namespace saccade
