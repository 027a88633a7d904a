#include "gpu/ops/common.h"
#include "gpu/patches.h"

namespace saccade {

Tensor gate(Commands& c, const Tensor& x, uint32_t columns, Activation activation) {
    constexpr const char* op = "gate";
    const uint32_t second = padded(columns);
    require(columns > 0 && x.columns == 2 * second, op,
            x.shape() + " is not two halves of " + std::to_string(columns));
    require_wide(x, op);
    Tensor y = c.scratch(x.batch, x.rows, columns, x.type);
    const Span span = rows_of(x, y);
    in_pieces(span.rows, [&](uint32_t first, uint32_t count) {
        const params::GateParams p{view(x, first), view(y, first), count, columns, second};
        c.dispatch(Kernel(op, x.type, {pixel_threads(c), static_cast<uint32_t>(activation)}),
                   {second / 4, count, span.batch}, {read(x), write(y)}, p);
    });
    return y;
}

void mean_rows_into(Commands& c, const Tensor& y, const Tensor& x) {
    constexpr const char* op = "mean_rows";
    require(y.batch == x.batch && y.rows == 1 && y.columns == x.columns && x.rows > 0, op,
            x.shape() + " into " + y.shape());
    require_wide(x, op);
    require_wide(y, op);
    const uint32_t threads = row_threads(c);
    const params::MeanRowsParams p{view(x), view(y), x.rows, x.columns};
    c.dispatch(Kernel(op, x.type, y.type, {threads}), {threads, padded(x.columns) / 4, x.batch},
               {read(x), write(y)}, p);
}

void rotate_heads(Commands& c, const Tensor& x, uint32_t heads, uint32_t size,
                  const Tensor& turns) {
    constexpr const char* op = "rotate_heads";
    require(heads > 0 && size > 0 && size % 2 == 0 && x.columns == heads * padded(size), op,
            x.shape() + " does not hold " + std::to_string(heads) + " heads of " +
                std::to_string(size));
    require(turns.batch == 1 && turns.rows == x.rows && turns.columns == size &&
                turns.type == Type::f32,
            op, "turns " + turns.shape() + " for " + x.shape());
    require_wide(x, op);
    const params::RotateHeadsParams p{view(x), view(turns), x.rows, heads};
    c.dispatch(Kernel(op, x.type, {c.device().is_cpu() ? 4u : 32u, padded(size) / 4, size / 2}),
               {heads, x.rows, x.batch}, {read_write(x), read(turns)}, p);
}

}  // namespace saccade
