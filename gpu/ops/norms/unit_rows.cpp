#include "gpu/ops/norms.h"

#include "gpu/ops/common.h"
#include "gpu/ops/norms/row_norm.h"
#include "shaders/norms/params.h"

namespace saccade {

Tensor unit_rows(Commands& c, const Tensor& x, float eps, Type out, float scale) {
    const Tensor y = c.scratch(x.batch, x.rows, x.columns, out);
    unit_rows_into(c, y, x, eps, scale);
    return y;
}

void unit_rows_into(Commands& c, const Tensor& y, const Tensor& x, float eps, float scale) {
    constexpr const char* op = "unit_rows";
    require_same(op, x, y);
    const Span span = rows_of(x, y);
    const uint32_t threads = row_threads(c);
    in_pieces(span.rows, [&](uint32_t first, uint32_t count) {
        const params::UnitRowsParams p{view(x, first), view(y, first), x.columns, eps, scale};
        c.dispatch(Kernel(op, x.type, y.type, {threads}), {threads, count, span.batch},
                   {read(x), write(y)}, p);
    });
}

}  // namespace saccade
