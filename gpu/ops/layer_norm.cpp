#include "gpu/ops/common.h"

namespace saccade {

Tensor layer_norm(Commands& c, const Tensor& x, const Norm& w, Type out) {
    Tensor y = c.scratch(x.batch, x.rows, x.columns, out);
    layer_norm_into(c, y, x, w);
    return y;
}

void layer_norm_into(Commands& c, const Tensor& y, const Tensor& x, const Norm& w) {
    constexpr const char* op = "layer_norm";
    require(w.weight.columns == x.columns && w.bias.columns == x.columns &&
                w.weight.type == Type::f32 && w.bias.type == Type::f32 && w.weight.offset == 0 &&
                w.bias.offset == 0,
            op, "weights " + w.weight.shape() + ", " + w.bias.shape() + " for " + x.shape());
    require(y.batch == x.batch && y.rows == x.rows && y.columns == x.columns, op,
            x.shape() + " into " + y.shape());
    require_wide(x, op);
    require_wide(y, op);
    const Span span = rows_of(x, y);
    const uint32_t threads = row_threads(c);
    const params::LayerNormParams p{view(x), view(y), span.rows, x.columns, w.eps};
    // In place too: a thread writes only what it alone has yet to read.
    c.dispatch(Kernel("layer_norm", x.type, y.type, {threads}), {threads, span.rows, span.batch},
               {read(x), read(w.weight), read(w.bias), write(y)}, p);
}

}  // namespace saccade
