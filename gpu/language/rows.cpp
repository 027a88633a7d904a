#include "gpu/language.h"
#include "gpu/ops/common.h"
#include "gpu/ops/links.h"

// Operations on whole rows.

namespace saccade {

namespace {

void require_same(const char* op, const Tensor& x, const Tensor& y) {
    require(y.batch == x.batch && y.rows == x.rows && y.columns == x.columns &&
                x.type != Type::u32 && y.type != Type::u32,
            op, x.shape() + " into " + y.shape());
    require_wide(x, op);
    require_wide(y, op);
}

}  // namespace

Tensor unit_rows(Commands& c, const Tensor& x, float eps, Type out, float scale) {
    const Tensor y = c.scratch(x.batch, x.rows, x.columns, out);
    unit_rows_into(c, y, x, eps, scale);
    return y;
}

void unit_rows_into(Commands& c, const Tensor& y, const Tensor& x, float eps, float scale) {
    constexpr const char* op = "unit_rows";
    require_same(op, x, y);
    const Span span = rows_of(x, y);
    const uint32_t threads = row_threads(c);
    in_pieces(span.rows, [&](uint32_t first, uint32_t count) {
        const params::UnitRowsParams p{view(x, first), view(y, first), x.columns, eps, scale};
        c.dispatch(Kernel(op, x.type, y.type, {threads}), {threads, count, span.batch},
                   {read(x), write(y)}, p);
    });
}

Tensor rms_norm(Commands& c, const Tensor& x, const RmsNorm& w, Type out) {
    const Tensor y = c.scratch(x.batch, x.rows, x.columns, out);
    rms_norm_into(c, y, x, w);
    return y;
}

void rms_norm_into(Commands& c, const Tensor& y, const Tensor& x, const RmsNorm& w) {
    constexpr const char* op = "rms_norm";
    require_same(op, x, y);
    require(w.weight.columns == x.columns && w.weight.type == Type::f32 && w.weight.offset == 0, op,
            "weight " + w.weight.shape() + " for " + x.shape());
    const Span span = rows_of(x, y);
    const uint32_t threads = row_threads(c);
    in_pieces(span.rows, [&](uint32_t first, uint32_t count) {
        const params::RmsNormParams p{view(x, first), view(y, first), x.columns, w.eps};
        c.dispatch(Kernel(op, x.type, y.type, {threads}), {threads, count, span.batch},
                   {read(x), read(w.weight), write(y)}, p);
    });
}

void norm_linear_into(Commands& c, const Tensor& y, const Tensor& x, const RmsNorm& norm,
                      const Linear& w) {
    if (link_product(c, y, x, norm, w, {})) return;
    auto scope = c.scope("norm_linear");
    linear_into(c, y, rms_norm(c, x, norm, w.weight.type), w);
}

}  // namespace saccade
