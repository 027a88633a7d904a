#include "gpu/ops/common.h"
#include "gpu/ops/tile.h"

namespace saccade {

namespace {

void record(Commands& c, const Tensor& y, const Tensor& x, const Linear& w, Activation activation,
            bool accumulate) {
    constexpr const char* op = "linear";
    require(w.weight.columns == x.columns && w.weight.rows == y.columns && w.weight.batch == 1, op,
            x.shape() + " x " + w.weight.shape() + " does not give " + y.shape());
    require(x.batch == y.batch && x.rows == y.rows, op,
            x.shape() + " has other rows than " + y.shape());
    require(x.type == w.weight.type && (y.type == x.type || y.type == Type::f32), op,
            "types " + x.shape() + ", " + w.weight.shape() + ", " + y.shape());
    require(!w.bias || (w.bias.columns == y.columns && w.bias.type == Type::f32), op,
            "bias " + w.bias.shape() + " for " + y.shape());
    for (const Tensor* t : {&x, &y, &w.weight}) require_wide(*t, op);

    const Span span = rows_of(x, y);
    const Tile tile = choose_tile(c.device(), span.rows);
    for (const Part& part : parts_of(w.weight, c.device().limits())) {
        const Tensor out = y.slice_columns(part.first_row, part.rows.rows);
        const Tensor bias = w.bias ? w.bias.slice_columns(part.first_row, out.columns) : part.rows;
        const params::LinearParams p{view(x),     view(out), w.bias ? bias.offset : 0, span.rows,
                                     out.columns, x.columns, part.rows.row_stride};
        c.dispatch(
            Kernel("linear", x.type, y.type,
                   {tile.threads_x, tile.threads_y, tile.m, tile.n,
                    static_cast<uint32_t>(activation), w.bias ? 1u : 0u, accumulate ? 1u : 0u}),
            {divide_up(padded(p.n), tile.n), divide_up(p.m, tile.m), span.batch},
            {read(x), read(part.rows), read(bias), accumulate ? read_write(out) : write(out)}, p);
    }
}

}  // namespace

Tensor linear(Commands& c, const Tensor& x, const Linear& w, Activation activation) {
    Tensor y = c.scratch(x.batch, x.rows, w.weight.rows, x.type);
    linear_into(c, y, x, w, activation);
    return y;
}

void linear_into(Commands& c, const Tensor& y, const Tensor& x, const Linear& w,
                 Activation activation) {
    record(c, y, x, w, activation, false);
}

void linear_add(Commands& c, const Tensor& y, const Tensor& x, const Linear& w) {
    record(c, y, x, w, Activation::none, true);
}

}  // namespace saccade
