#include "gpu/ops/norms.h"

#include "gpu/ops/common.h"
#include "gpu/ops/norms/row_norm.h"
#include "shaders/norms/params.h"

namespace saccade {

void norm_activate_into(Commands& c, const Tensor& y, const Tensor& x, const Norm& w,
                        Activation activation, const Norm* next) {
    constexpr const char* op = "norm_activate";
    require_norm(w, x, op);
    require_wide(x, op);
    check_result(op, x, y);
    const uint32_t threads = norm_threads(c, x.rows * x.batch, x.columns);
    const uint32_t held = rounds(c, x.columns, threads);
    if (next) require_norm(*next, x, op);
    const bool again = next && held > 0;
    const Norm& then = again ? *next : w;
    const params::NormActivateParams p{view(x), view(y), x.columns, w.eps, then.eps};
    c.dispatch(
        Kernel(op, x.type, y.type,
               {threads, held, static_cast<uint32_t>(activation), again ? 1u : 0u}),
        {threads, x.rows, x.batch},
        {read(x), read(w.weight), read(w.bias), read(then.weight), read(then.bias), write(y)}, p);
    if (next && !again) layer_norm_into(c, y, y, *next);
}

}  // namespace saccade
