#include "gpu/ops/grid_attention.h"

#include "gpu/ops/common.h"
#include "gpu/ops/grid_attention/windows.h"
#include "shaders/grid_attention/params.h"

namespace saccade {

void window_map(Commands& c, const Tensor& map, const Tensor& q, const Tensor& k,
                const Heads& heads, const Windows& windows, const WindowLook& look) {
    constexpr const char* op = "window_map";
    const uint32_t size = window_head_size(q, k, heads, windows, op);
    require(q.batch == 1 && map.type == Type::f32 && map.batch == 1 &&
                map.columns == (look.whole ? windows.tokens() : windows.tokens_each()) &&
                uint64_t(look.first_head) + map.rows <= heads.count,
            op, "a map " + map.shape() + " for q " + q.shape());
    require(look.from.window < area(windows.count()) && look.from.cell < windows.tokens_each(), op,
            "there is no such window or cell");
    const uint32_t threads = row_threads(c);
    const Tensor& bias = windows.class_tokens ? q : windows.bias;  // not read then
    const params::WindowMapParams p{
        view(q),     view(k),         view(map),        params_of(windows),
        heads.scale, look.first_head, look.from.window, look.from.cell};
    c.dispatch(
        Kernel(op, q.type, Type::f32,
               {threads, windows.window, size / 4, windows.scales ? 1u : 0u, look.whole ? 1u : 0u,
                windows.class_tokens ? 1u : 0u}),
        {threads, map.rows},
        {read(q), read(k), read(bias), read(windows.scales ? windows.scales : bias), write(map)},
        p);
}

}  // namespace saccade
