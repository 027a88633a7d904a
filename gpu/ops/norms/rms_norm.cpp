#include "gpu/ops/norms.h"

#include "gpu/ops/common.h"
#include "gpu/ops/norms/row_norm.h"
#include "shaders/norms/params.h"

namespace saccade {

Tensor rms_norm(Commands& c, const Tensor& x, const RmsNorm& w, Type out) {
    const Tensor y = c.scratch(x.batch, x.rows, x.columns, out);
    rms_norm_into(c, y, x, w);
    return y;
}

void rms_norm_into(Commands& c, const Tensor& y, const Tensor& x, const RmsNorm& w) {
    constexpr const char* op = "rms_norm";
    require_same(op, x, y);
    require(w.weight.columns == x.columns && w.weight.type == Type::f32 && w.weight.offset == 0, op,
            "weight " + w.weight.shape() + " for " + x.shape());
    const Span span = rows_of(x, y);
    const uint32_t threads = row_threads(c);
    in_pieces(span.rows, [&](uint32_t first, uint32_t count) {
        const params::RmsNormParams p{view(x, first), view(y, first), x.columns, w.eps};
        c.dispatch(Kernel(op, x.type, y.type, {threads}), {threads, count, span.batch},
                   {read(x), read(w.weight), write(y)}, p);
    });
}

}  // namespace saccade
