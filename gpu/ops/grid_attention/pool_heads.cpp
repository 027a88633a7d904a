#include "gpu/ops/grid_attention.h"

#include "gpu/ops/common.h"
#include "shaders/grid_attention/params.h"

namespace saccade {

Size HeadPool::out_size(Size map) const { return (map + 2 * (kernel / 2) - kernel) / stride + 1u; }

Tensor pool_heads(Commands& c, const Tensor& x, Size map, uint32_t first, uint32_t heads,
                  const HeadPool& pool) {
    constexpr const char* op = "pool_heads";
    const uint32_t size = pool.weight.columns, wide = padded(size);
    require(heads > 0 && x.columns == heads * wide && x.rows == first + area(map) &&
                map.x + 2 * (pool.kernel / 2) >= pool.kernel &&
                map.y + 2 * (pool.kernel / 2) >= pool.kernel && pool.stride > 0,
            op, x.shape() + " does not hold " + std::to_string(heads) + " heads on such a map");
    require(pool.weight.type == Type::f32 && pool.weight.rows == pool.kernel * pool.kernel &&
                pool.weight.offset == 0,
            op, "weights " + pool.weight.shape());
    require_norm(pool.norm, pool.weight, op);
    require_wide(x, op);
    const Size out = pool.out_size(map);
    const Tensor y = c.scratch(x.batch, first + area(out), x.columns, x.type);
    const params::PoolHeadsParams p{
        view(x),      view(y),     first,           map.x, map.y,
        out.x,        pool.stride, pool.kernel / 2, size,  pool.weight.row_stride,
        pool.norm.eps};
    const uint32_t threads = c.device().is_cpu() ? 4 : 32;
    c.dispatch(
        Kernel(op, x.type, {threads, wide / 4, pool.kernel}), {heads * threads, y.rows, x.batch},
        {read(x), read(pool.weight), read(pool.norm.weight), read(pool.norm.bias), write(y)}, p);
    return y;
}

}  // namespace saccade
