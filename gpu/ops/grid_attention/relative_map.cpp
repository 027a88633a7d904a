#include "gpu/ops/grid_attention.h"

#include "gpu/ops/common.h"
#include "gpu/ops/grid_attention/relative.h"
#include "shaders/grid_attention/params.h"

namespace saccade {

void relative_map(Commands& c, const Tensor& map, const Tensor& q, const Tensor& k,
                  const Heads& heads, const RelativeTerms& terms, const MapRange& range) {
    constexpr const char* op = "relative_map";
    const uint32_t size = relative_head_size(q, heads, op);
    require_relative(q, k, heads, terms, op);
    require(q.batch == 1 && map.type == Type::f32 && map.batch == 1 &&
                map.rows == range.heads * range.rows && map.columns == k.rows,
            op, "map " + map.shape() + " for q " + q.shape() + ", k " + k.shape());
    require(uint64_t(range.first_row) + range.rows <= q.rows &&
                uint64_t(range.first_head) + range.heads <= heads.count,
            op, "rows or heads outside of " + q.shape());
    const uint32_t threads = row_threads(c);
    const params::RelativeMapParams p{
        view(q),    view(k), view(terms.scores), view(map),  grid_of(terms.places), range.first_row,
        range.rows, k.rows,  range.first_head,   heads.scale};
    c.dispatch(Kernel(op, q.type, Type::f32, {threads, size / 4}), {threads, map.rows},
               {read(q), read(k), read(terms.scores), write(map)}, p);
}

}  // namespace saccade
