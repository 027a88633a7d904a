#include "gpu/ops/norms.h"

#include "gpu/ops/common.h"
#include "gpu/ops/norms/row_norm.h"
#include "shaders/norms/params.h"

namespace saccade {

void post_norm(Commands& c, const Tensor& x, const Norm& w, const PostNorm& next) {
    constexpr const char* op = "post_norm";
    require_norm(w, x, op);
    require_wide(x, op);
    require(x.type == Type::f32, op, x.shape() + " is not an fp32 stream");
    const bool same = next.y.buffer == x.buffer && next.y.base == x.base;
    const Tensor y = same ? Tensor{} : next.y;
    const Tensor &at = next.at, &positions = next.positions;
    if (next.y) check_result(op, x, next.y);
    if (at) {
        check_result(op, x, at);
        require((positions.batch == 1 || positions.batch == x.batch) && positions.rows == x.rows &&
                    positions.columns == x.columns && positions.type == Type::f32,
                op, "positions " + positions.shape() + " for " + x.shape());
        require_wide(positions, op);
    }
    const Type out = y ? y.type : at ? at.type : x.type;
    require(!at || at.type == out, op, "types " + y.shape() + ", " + at.shape());

    const uint32_t threads = row_threads(c);
    in_pieces(x.rows, [&](uint32_t first, uint32_t count) {
        params::PostNormParams p{
            view(x, first), view(y, first), view(at, first), view(positions, first), count,
            x.columns,      w.eps};
        if (positions.batch < x.batch) p.positions.batch_stride = 0;  // every batch meets the same
        // Unused bindings are neither read nor written, but a tensor must be bound.
        c.dispatch(Kernel(op, x.type, out,
                          {threads, rounds(c, x.columns, threads), y ? 1u : 0u, at ? 1u : 0u}),
                   {threads, count, x.batch},
                   {read_write(x), read(w.weight), read(w.bias), read(at ? positions : w.bias),
                    y ? write(y) : read(x), at ? write(at) : read(x)},
                   p);
    });
}

}  // namespace saccade
