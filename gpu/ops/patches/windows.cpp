#include "gpu/ops/common.h"
#include "gpu/patches.h"

namespace saccade {

namespace {

std::string text(Size size) { return std::to_string(size.x) + "x" + std::to_string(size.y); }

params::WindowParams params_of(const Windows& w) {
    const Size count = w.count();
    return {w.map.x, w.map.y, count.x, count.y, w.shift, w.bias.row_stride, w.mask};
}

uint32_t head_size(const Tensor& q, const Tensor& k, const Heads& heads, const Windows& w,
                   const char* op) {
    const uint32_t size = heads.count ? q.columns / heads.count : 0;
    require(size > 0 && size * heads.count == q.columns && size % row_quantum == 0 && size <= 128,
            op,
            q.shape() + " does not hold " + std::to_string(heads.count) +
                " heads of a multiple of 8 up to 128 columns");
    require(w.window > 0 && w.shift < w.window && area(w.map) > 0 &&
                q.rows == w.tokens() + (w.padded() ? 1 : 0) && !(w.padded() && w.class_tokens),
            op, q.shape() + " are not the cells of a map of " + text(w.map));
    require(k.columns == q.columns && k.rows == q.rows && k.batch == q.batch && k.type == q.type,
            op, "q " + q.shape() + " and k " + k.shape());
    const uint32_t wide = 2 * w.window - 1;
    require(w.class_tokens || (w.bias.type == Type::f32 && w.bias.offset == 0 &&
                               w.bias.rows == heads.count && w.bias.columns == wide * wide),
            op, "a bias of " + w.bias.shape());
    require(!w.scales || (w.scales.type == Type::f32 && w.scales.offset == 0 &&
                          w.scales.columns == heads.count),
            op, "scales of " + w.scales.shape());
    require_wide(q, op);
    require_wide(k, op);
    return size;
}

}  // namespace

Windows::Place Windows::place_of(uint32_t cell) const {
    if (cell >= area(map)) return {cell - area(map), window * window};
    const Size all = count() * window;
    const Size at = (Size(cell % map.x, cell / map.x) + all - shift) % all;
    const Size in = at / window, place = at % window;
    return {in.y * count().x + in.x, place.y * window + place.x};
}

Tensor window_attention(Commands& c, const Tensor& q, const Tensor& k, const Tensor& v,
                        const Heads& heads, const Windows& windows) {
    constexpr const char* op = "window_attention";
    const uint32_t size = head_size(q, k, heads, windows, op);
    require(!windows.class_tokens, op, "windows with class tokens have no kernel");
    require(v.columns == k.columns && v.rows == k.rows && v.batch == k.batch && v.type == k.type,
            op, "k " + k.shape() + " and v " + v.shape());
    require_wide(v, op);
    const Tensor y = c.scratch(q.batch, area(windows.map), q.columns, q.type);
    const params::WindowAttentionParams p{view(q), view(k), view(v), view(y), params_of(windows),
                                          heads.scale};
    const uint32_t cells = windows.window * windows.window;
    const uint32_t threads = c.device().is_cpu() ? 8 : cells > 64 ? 128 : 64;
    const uint32_t keys = size > 64 ? 16 : 32;  // that fit into shared memory
    c.dispatch(Kernel(op, q.type,
                      {threads, windows.window, size / 4, keys, windows.scales ? 1u : 0u}),
               {divide_up(cells, threads) * threads, heads.count, q.batch * area(windows.count())},
               {read(q), read(k), read(v), read(windows.bias),
                read(windows.scales ? windows.scales : windows.bias), write(y)},
               p);
    return y;
}

void window_map(Commands& c, const Tensor& map, const Tensor& q, const Tensor& k,
                const Heads& heads, const Windows& windows, const WindowLook& look) {
    constexpr const char* op = "window_map";
    const uint32_t size = head_size(q, k, heads, windows, op);
    require(q.batch == 1 && map.type == Type::f32 && map.batch == 1 &&
                map.columns == (look.whole ? windows.tokens() : windows.tokens_each()) &&
                uint64_t(look.first_head) + map.rows <= heads.count,
            op, "a map " + map.shape() + " for q " + q.shape());
    require(look.from.window < area(windows.count()) && look.from.cell < windows.tokens_each(), op,
            "there is no such window or cell");
    const uint32_t threads = row_threads(c);
    const Tensor& bias = windows.class_tokens ? q : windows.bias;  // not read then
    const params::WindowMapParams p{view(q),         view(k),          view(map),
                                    params_of(windows), heads.scale,   look.first_head,
                                    look.from.window, look.from.cell};
    c.dispatch(Kernel(op, q.type, Type::f32,
                      {threads, windows.window, size / 4, windows.scales ? 1u : 0u,
                       look.whole ? 1u : 0u, windows.class_tokens ? 1u : 0u}),
               {threads, map.rows},
               {read(q), read(k), read(bias), read(windows.scales ? windows.scales : bias),
                write(map)},
               p);
}

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
        const params::NormAddParams p{
            view(x, first), view(z, first), view(next, first), count, x.columns, w.eps};
        c.dispatch(
            Kernel(op, Type::f32, next ? next.type : Type::f32, {threads, 0, next ? 1u : 0u}),
            {threads, count, x.batch},
            {read(x), read(w.weight), read(w.bias), read_write(z), next ? write(next) : read(x)},
            p);
    });
}

Tensor merge_patches(Commands& c, const Tensor& x, Size map, Type out) {
    constexpr const char* op = "merge_patches";
    require(x.rows == area(map) && x.columns % 4 == 0 && x.type == Type::f32, op,
            x.shape() + " is not a map of " + text(map) + " with columns in fours");
    require_wide(x, op);
    const Size half = (map + 1u) / 2u;
    const Tensor y = c.scratch(x.batch, area(half), 4 * x.columns, out);
    const params::MergePatchesParams p{view(x), view(y), map.x, map.y, half.x, x.columns};
    c.dispatch(Kernel(op, x.type, out, {pixel_threads(c)}), {x.columns, area(half), x.batch},
               {read(x), write(y)}, p);
    return y;
}

}  // namespace saccade
