#include "gpu/ops/rows.h"

#include "gpu/ops/common.h"
#include "shaders/rows/params.h"

namespace saccade {

Tensor softmax(Commands& c, const Tensor& x) {
    Tensor y = c.scratch(x.batch, x.rows, x.columns, Type::f32);
    const Span span = rows_of(x, y);
    const uint32_t threads = row_threads(c);
    in_pieces(span.rows, [&](uint32_t first, uint32_t count) {
        const params::SoftmaxParams p{view(x, first), view(y, first), count, x.columns};
        c.dispatch(Kernel("softmax", x.type, Type::f32, {threads}), {threads, count, span.batch},
                   {read(x), write(y)}, p);
    });
    return y;
}

}  // namespace saccade
