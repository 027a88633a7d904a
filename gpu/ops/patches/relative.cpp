#include "gpu/ops/common.h"
#include "gpu/patches.h"

namespace saccade {

namespace {

uint32_t head_size(const Tensor& q, const Heads& heads, const char* op) {
    const uint32_t size = heads.count ? q.columns / heads.count : 0;
    require(size > 0 && size * heads.count == q.columns && size % row_quantum == 0 && size <= 256,
            op,
            q.shape() + " does not hold " + std::to_string(heads.count) +
                " heads of a multiple of 8 up to 256 columns");
    require_wide(q, op);
    return size;
}

void check(const Tensor& q, const Tensor& k, const Tensor& scores, const Heads& heads,
           const RelativePlaces& places, const char* op) {
    require(q.rows == places.first + area(places.queries) &&
                k.rows == places.first + area(places.keys) && k.columns == q.columns &&
                k.batch == q.batch && k.type == q.type,
            op, "q " + q.shape() + " and k " + k.shape() + " are not of these maps");
    require(scores.type == Type::f32 && scores.batch == q.batch &&
                scores.rows == area(places.queries) &&
                scores.columns == heads.count * (places.keys.x + places.keys.y),
            op, "scores " + scores.shape() + " for q " + q.shape());
    require_wide(k, op);
}

params::GridParams grid_of(const RelativePlaces& places) {
    return {places.first, places.keys.y, places.keys.x};
}

}  // namespace

Size HeadPool::out_size(Size map) const {
    return (map + 2 * (kernel / 2) - kernel) / stride + 1u;
}

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
    const params::PoolHeadsParams p{view(x),
                                    view(y),
                                    first,
                                    map.x,
                                    map.y,
                                    out.x,
                                    pool.stride,
                                    pool.kernel / 2,
                                    size,
                                    pool.weight.row_stride,
                                    pool.norm.eps};
    const uint32_t threads = c.device().is_cpu() ? 4 : 32;
    c.dispatch(Kernel(op, x.type, {threads, wide / 4, pool.kernel}),
               {heads * threads, y.rows, x.batch},
               {read(x), read(pool.weight), read(pool.norm.weight), read(pool.norm.bias), write(y)},
               p);
    return y;
}

Tensor relative_scores(Commands& c, const Tensor& q, const Heads& heads,
                       const RelativePlaces& places) {
    constexpr const char* op = "relative_scores";
    const uint32_t size = head_size(q, heads, op);
    auto fits = [&](const Tensor& table, uint32_t rows) {
        return table.type == Type::f32 && table.offset == 0 && table.rows == rows &&
               padded(table.columns) == size;
    };
    require(fits(places.down, places.queries.y * places.keys.y) &&
                fits(places.across, places.queries.x * places.keys.x) &&
                q.rows == places.first + area(places.queries),
            op, "tables " + places.down.shape() + ", " + places.across.shape());
    const uint32_t columns = heads.count * (places.keys.x + places.keys.y);
    const Tensor y = c.scratch(q.batch, area(places.queries), columns, Type::f32);
    const params::RelativeScoresParams p{view(q),
                                         view(y),
                                         places.first,
                                         places.queries.x,
                                         places.keys.y,
                                         places.keys.x,
                                         heads.count,
                                         places.down.row_stride};
    c.dispatch(Kernel(op, q.type, Type::f32, {pixel_threads(c), size / 4}),
               {padded(columns), area(places.queries), q.batch},
               {read(q), read(places.down), read(places.across), write(y)}, p);
    return y;
}

Tensor relative_attention(Commands& c, const Tensor& q, const Tensor& k, const Tensor& v,
                          const Tensor& scores, const Heads& heads, const RelativePlaces& places,
                          bool residual) {
    constexpr const char* op = "relative_attention";
    const uint32_t size = head_size(q, heads, op);
    check(q, k, scores, heads, places, op);
    require(v.columns == k.columns && v.rows == k.rows && v.batch == k.batch && v.type == k.type,
            op, "k " + k.shape() + " and v " + v.shape());
    require_wide(v, op);
    const Tensor y = c.scratch(q.batch, q.rows, q.columns, q.type);
    const params::RelativeAttentionParams p{view(q),         view(k), view(v), view(scores), view(y),
                                            grid_of(places), q.rows,  k.rows,  heads.scale};
    const uint32_t threads = c.device().is_cpu() ? 8 : 64;
    const uint32_t keys = size > 128 ? 8 : size > 64 ? 16 : 32;  // that fit into shared memory
    c.dispatch(Kernel(op, q.type, {threads, size / 4, keys, residual ? 1u : 0u}),
               {divide_up(q.rows, threads) * threads, heads.count, q.batch},
               {read(q), read(k), read(v), read(scores), write(y)}, p);
    return y;
}

void relative_map(Commands& c, const Tensor& map, const Tensor& q, const Tensor& k,
                  const Tensor& scores, const Heads& heads, const RelativePlaces& places,
                  const MapRange& range) {
    constexpr const char* op = "relative_map";
    const uint32_t size = head_size(q, heads, op);
    check(q, k, scores, heads, places, op);
    require(q.batch == 1 && map.type == Type::f32 && map.batch == 1 &&
                map.rows == range.heads * range.rows && map.columns == k.rows,
            op, "map " + map.shape() + " for q " + q.shape() + ", k " + k.shape());
    require(uint64_t(range.first_row) + range.rows <= q.rows &&
                uint64_t(range.first_head) + range.heads <= heads.count,
            op, "rows or heads outside of " + q.shape());
    const uint32_t threads = row_threads(c);
    const params::RelativeMapParams p{view(q),         view(k),         view(scores), view(map),
                                      grid_of(places), range.first_row, range.rows,   k.rows,
                                      range.first_head, heads.scale};
    c.dispatch(Kernel(op, q.type, Type::f32, {threads, size / 4}), {threads, map.rows},
               {read(q), read(k), read(scores), write(map)}, p);
}

}  // namespace saccade
