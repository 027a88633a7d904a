#include "gpu/ops/common.h"
#include "gpu/ops/tile.h"

namespace saccade {

namespace {

void record(Commands& c, const Tensor& y, const Tensor& x, const Linear& w, Activation activation,
            bool accumulate) {
    constexpr const char* op = "linear";
    require(w.weight.columns == x.columns && w.weight.rows == y.columns && w.weight.batch == 1 &&
                w.weight.offset == 0,
            op, x.shape() + " x " + w.weight.shape() + " does not give " + y.shape());
    require(x.batch == y.batch && x.rows == y.rows, op,
            x.shape() + " has other rows than " + y.shape());
    require(x.type == w.weight.type && (y.type == x.type || y.type == Type::f32), op,
            "types " + x.shape() + ", " + w.weight.shape() + ", " + y.shape());
    require(!w.bias || (w.bias.columns == y.columns && w.bias.type == Type::f32), op,
            "bias " + w.bias.shape() + " for " + y.shape());
    for (const Tensor* t : {&x, &y, &w.weight}) require_wide(*t, op);

    const Span span = rows_of(x, y);
    std::optional<MatrixTile> matrix;
    if (x.type == Type::f16 && loads_eights(x) && loads_eights(w.weight))
        matrix = choose_matrix_tile(c, span.batch, span.rows, y.columns, x.columns);
    const uint32_t choices[] = {static_cast<uint32_t>(activation), w.bias ? 1u : 0u,
                                accumulate ? 1u : 0u};
    for (const Part& part : parts_of(w.weight, c.device().limits())) {
        const Tensor out = y.slice_columns(part.first_row, part.rows.rows);
        const Tensor bias = w.bias ? w.bias.slice_columns(part.first_row, out.columns) : part.rows;
        const params::LinearParams p{view(x),     view(out), w.bias ? bias.offset : 0, span.rows,
                                     out.columns, x.columns, part.rows.row_stride};
        const Use uses[] = {read(x), read(part.rows), read(bias),
                            accumulate ? read_write(out) : write(out)};
        if (matrix) {
            const MatrixTile& t = *matrix;
            c.dispatch(Kernel("linear.coopmat", x.type, y.type,
                              {t.threads, t.subgroups, t.bm, t.bn, t.bk, t.wm, t.wn, t.fragment.m,
                               t.fragment.n, t.fragment.k, choices[0], choices[1], choices[2]}),
                       {divide_up(padded(p.n), t.bn) * t.threads, divide_up(p.m, t.bm), span.batch},
                       uses, std::as_bytes(std::span(&p, 1)));
        } else {
            const Tile t = choose_tile(c.device(), span.rows);
            c.dispatch(
                Kernel("linear", x.type, y.type,
                       {t.threads_x, t.threads_y, t.m, t.n, choices[0], choices[1], choices[2]}),
                {divide_up(padded(p.n), t.n), divide_up(p.m, t.m), span.batch}, uses,
                std::as_bytes(std::span(&p, 1)));
        }
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
