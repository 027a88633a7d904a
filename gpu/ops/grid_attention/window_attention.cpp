#include "gpu/ops/grid_attention.h"

#include "gpu/ops/common.h"
#include "gpu/ops/grid_attention/windows.h"
#include "shaders/grid_attention/params.h"

namespace saccade {

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
    const uint32_t size = window_head_size(q, k, heads, windows, op);
    require(!windows.class_tokens, op, "windows with class tokens have no kernel");
    require(v.columns == k.columns && v.rows == k.rows && v.batch == k.batch && v.type == k.type,
            op, "k " + k.shape() + " and v " + v.shape());
    require_wide(v, op);
    const Tensor y = c.scratch(q.batch, area(windows.map), q.columns, q.type);
    const params::WindowAttentionParams p{view(q),    view(k), view(v), view(y), params_of(windows),
                                          heads.scale};
    const uint32_t cells = windows.window * windows.window;
    const uint32_t threads = c.device().is_cpu() ? 8 : cells > 64 ? 128 : 64;
    const uint32_t keys = size > 64 ? 16 : 32;  // that fit into shared memory
    c.dispatch(
        Kernel(op, q.type, {threads, windows.window, size / 4, keys, windows.scales ? 1u : 0u}),
        {divide_up(cells, threads) * threads, heads.count, q.batch * area(windows.count())},
        {read(q), read(k), read(v), read(windows.bias),
         read(windows.scales ? windows.scales : windows.bias), write(y)},
        p);
    return y;
}

}  // namespace saccade
