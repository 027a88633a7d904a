#include "gpu/ops/norms.h"

#include "gpu/ops/common.h"
#include "shaders/norms/params.h"

namespace saccade {

Tensor group_norm(Commands& c, const Tensor& x, const Norm& w, uint32_t groups,
                  Activation activation) {
    constexpr const char* op = "group_norm";
    require_norm(w, x, op);
    require_wide(x, op);
    require(groups > 0 && x.columns % groups == 0, op,
            std::to_string(groups) + " groups of " + x.shape());
    Tensor y = c.scratch(x.batch, x.rows, x.columns, x.type);
    auto scope = c.scope(op);
    const Tensor statistics = c.scratch(x.batch, groups, 2, Type::f32);
    params::GroupNormParams p{view(x), view(y), view(statistics), x.rows, x.columns, groups, w.eps};
    // Twice over a group's channels, in fours of which the first and the last may be others'.
    const uint64_t fours = x.columns / groups / 4 + 2;
    const uint32_t threads = threads_for_steps(c, row_threads(c), 2 * x.rows * (1 + fours));
    c.dispatch(Kernel("group_norm.statistics", x.type, {threads}), {threads, groups, x.batch},
               {read(x), write(statistics)}, p);
    in_pieces(x.rows, [&](uint32_t first, uint32_t count) {
        p.x = view(x, first);
        p.y = view(y, first);
        c.dispatch(Kernel(op, x.type, {pixel_threads(c), static_cast<uint32_t>(activation)}),
                   {padded(x.columns) / 4, count, x.batch},
                   {read(x), read(w.weight), read(w.bias), read(statistics), write(y)}, p);
    });
    return y;
}

}  // namespace saccade
