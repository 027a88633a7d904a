#include "gpu/ops/norms.h"

#include "gpu/ops/common.h"
#include "shaders/norms/params.h"

namespace saccade {

void norm_add(Commands& c, const Tensor& z, const Tensor& x, const Norm& w, const Tensor& next) {
    constexpr const char* op = "norm_add";
    require_norm(w, x, op);
    auto same = [&](const Tensor& t) {
        return t.batch == x.batch && t.rows == x.rows && t.columns == x.columns;
    };
    require(same(z) && (!next || same(next)) && x.type == Type::f32 && z.type == Type::f32, op,
            x.shape() + " onto " + z.shape());
    for (const Tensor* t : {&x, &z}) require_wide(*t, op);
    if (next) require_wide(next, op);
    const uint32_t threads = row_threads(c);
    in_pieces(x.rows, [&](uint32_t first, uint32_t count) {
        const params::NormAddParams p{view(x, first), view(z, first), view(next, first),
                                      count,          x.columns,      w.eps};
        c.dispatch(
            Kernel(op, Type::f32, next ? next.type : Type::f32, {threads, 0, next ? 1u : 0u}),
            {threads, count, x.batch},
            {read(x), read(w.weight), read(w.bias), read_write(z), next ? write(next) : read(x)},
            p);
    });
}

}  // namespace saccade
