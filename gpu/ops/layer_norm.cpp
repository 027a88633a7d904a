#include "gpu/ops/common.h"
#include "gpu/ops/links.h"

namespace saccade {

namespace {

void check_result(const char* op, const Tensor& x, const Tensor& y) {
    require(y.batch == x.batch && y.rows == x.rows && y.columns == x.columns, op,
            x.shape() + " into " + y.shape());
    require_wide(y, op);
}

constexpr uint32_t most_rounds = 4;

// How many fours of a row each thread holds in registers; 0: none, see row_norm.glsl.
uint32_t rounds(const Commands& c, uint32_t columns, uint32_t threads) {
    const uint32_t all = divide_up(padded(columns) / 4, threads);
    return c.device().is_cpu() || all > most_rounds ? 0 : all;
}

// Threads of a row. Where rows enough fill a GPU, fewer of them wait for each other, as long as they
// can hold the row.
uint32_t norm_threads(const Commands& c, uint32_t rows, uint32_t columns) {
    constexpr uint32_t many_rows = 4096, few = 64;
    const bool hold = padded(columns) / 4 <= few * most_rounds;
    return !c.device().is_cpu() && rows >= many_rows && hold ? few : row_threads(c);
}

}  // namespace

Tensor layer_norm(Commands& c, const Tensor& x, const Norm& w, Type out) {
    Tensor y = c.scratch(x.batch, x.rows, x.columns, out);
    layer_norm_into(c, y, x, w);
    return y;
}

void layer_norm_into(Commands& c, const Tensor& y, const Tensor& x, const Norm& w) {
    constexpr const char* op = "layer_norm";
    require_norm(w, x, op);
    require_wide(x, op);
    check_result(op, x, y);
    if (link_norm(c, y, x, w)) return;
    const Span span = rows_of(x, y);
    const uint32_t threads = norm_threads(c, span.rows * span.batch, x.columns);
    // In place too: a thread writes only what it alone has yet to read.
    in_pieces(span.rows, [&](uint32_t first, uint32_t count) {
        const params::LayerNormParams p{view(x, first), view(y, first), count, x.columns, w.eps};
        c.dispatch(Kernel("layer_norm", x.type, y.type, {threads, rounds(c, x.columns, threads)}),
                   {threads, count, span.batch}, {read(x), read(w.weight), read(w.bias), write(y)},
                   p);
    });
}

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
        // What is not wanted is neither read nor written, but something must be bound.
        c.dispatch(
            Kernel(op, x.type, out,
                   {threads, rounds(c, x.columns, threads), y ? 1u : 0u, at ? 1u : 0u}),
            {threads, count, x.batch},
            {read_write(x), read(w.weight), read(w.bias), read(at ? positions : w.bias),
             y ? write(y) : read(x), at ? write(at) : read(x)},
            p);
    });
}

}  // namespace saccade
