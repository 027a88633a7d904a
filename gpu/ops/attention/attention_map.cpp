#include "gpu/ops/attention.h"

#include "gpu/ops/attention/heads.h"
#include "gpu/ops/common.h"
#include "shaders/attention/params.h"

namespace saccade {

void attention_map(Commands& c, const Tensor& map, const Tensor& q, const Tensor& k,
                   const Heads& heads, const MapRange& range) {
    constexpr const char* op = "attention_map";
    const uint32_t size = head_size(q, k, heads, op);
    require(map.type == Type::f32 && map.batch == q.batch && map.rows == range.heads * range.rows &&
                map.columns == k.rows,
            op, "map " + map.shape() + " for q " + q.shape() + ", k " + k.shape());
    require(uint64_t(range.first_row) + range.rows <= q.rows &&
                uint64_t(range.first_head) + range.heads <= heads.count,
            op, "rows or heads outside of " + q.shape());
    const uint32_t threads = row_threads(c);
    const params::AttentionMapParams p{view(q),          view(k),     view(map),
                                       range.first_row,  range.rows,  k.rows,
                                       range.first_head, heads.scale, heads.sharing};
    c.dispatch(Kernel("attention_map", q.type, Type::f32, {threads, size / 4}),
               {threads, map.rows, map.batch}, {read(q), read(k), write(map)}, p);
}

}  // namespace saccade
