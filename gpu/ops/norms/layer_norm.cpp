#include "gpu/ops/norms.h"

#include "gpu/chains/links.h"
#include "gpu/ops/common.h"
#include "gpu/ops/norms/row_norm.h"
#include "shaders/norms/params.h"

namespace saccade {

Tensor layer_norm(Commands& c, const Tensor& x, const Norm& w, Type out) {
    Tensor y = c.scratch(x.batch, x.rows, x.columns, out);
    layer_norm_into(c, y, x, w);
    return y;
}

void layer_norm_into(Commands& c, const Tensor& y, const Tensor& x, const Norm& w) {
    constexpr const char* op = "layer_norm";
    require_norm(w, x, op);
    require_wide(x, op);
    check_result(op, x, y);
    if (link_norm(c, y, x, {w.weight, w.bias, w.eps})) return;
    const Span span = rows_of(x, y);
    const uint32_t threads = norm_threads(c, span.rows * span.batch, x.columns);
    // This works in place, too: a thread writes only elements that no other thread still reads.
    in_pieces(span.rows, [&](uint32_t first, uint32_t count) {
        const params::LayerNormParams p{view(x, first), view(y, first), count, x.columns, w.eps};
        c.dispatch(Kernel("layer_norm", x.type, y.type, {threads, rounds(c, x.columns, threads)}),
                   {threads, count, span.batch}, {read(x), read(w.weight), read(w.bias), write(y)},
                   p);
    });
}

}  // namespace saccade
