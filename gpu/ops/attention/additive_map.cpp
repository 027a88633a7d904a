#include "gpu/ops/attention.h"

#include "gpu/ops/attention/additive.h"
#include "gpu/ops/common.h"
#include "shaders/attention/params.h"

namespace saccade {

void additive_map(Commands& c, const Tensor& map, const Tensor& q, const Tensor& k,
                  const Additive& how, uint32_t first_row) {
    constexpr const char* op = "additive_map";
    require_additive(op, q, k, how);
    require(map.type == Type::f32 && map.batch == q.batch && map.columns == k.rows &&
                uint64_t(first_row) + map.rows <= q.rows,
            op, "a map " + map.shape() + " for q " + q.shape() + " and k " + k.shape());
    const uint32_t threads = row_threads(c);
    const params::AdditiveMapParams p{view(q), view(k), view(map), first_row, k.rows, k.columns};
    c.dispatch(Kernel(op, k.type, Type::f32, {threads}), {threads, map.rows, map.batch},
               {read(q), read(k), read(how.weight), read_write(map)}, p);
}

}  // namespace saccade
