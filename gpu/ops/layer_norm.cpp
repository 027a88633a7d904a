#include "gpu/ops/common.h"

namespace saccade {

Tensor layer_norm(Commands& c, const Tensor& x, const Norm& w, Type out) {
    constexpr const char* op = "layer_norm";
    require(w.weight.columns == x.columns && w.bias.columns == x.columns &&
                w.weight.type == Type::f32 && w.bias.type == Type::f32 && w.weight.offset == 0 &&
                w.bias.offset == 0,
            op, "weights " + w.weight.shape() + ", " + w.bias.shape() + " for " + x.shape());
    require_wide(x, op);
    Tensor y = c.scratch(x.batch, x.rows, x.columns, out);
    const Span span = rows_of(x, y);
    const uint32_t threads = row_threads(c);
    const params::LayerNormParams p{view(x), view(y), span.rows, x.columns, w.eps};
    c.dispatch(Kernel("layer_norm", x.type, out, {threads}), {threads, span.rows, span.batch},
               {read(x), read(w.weight), read(w.bias), write(y)}, p);
    return y;
}

}  // namespace saccade
