#include "gpu/ops/rows.h"

#include "gpu/ops/common.h"
#include "shaders/rows/params.h"

namespace saccade {

void row_sum(Commands& c, const Tensor& y, const Tensor& weights, const Tensor& map,
             const RowSum& sum) {
    constexpr const char* op = "row_sum";
    const uint32_t rows = sum.heads ? map.rows / sum.heads : 0;
    require(rows * sum.heads == map.rows && map.batch == 1 && map.columns == y.columns &&
                y.all_rows() == 1 && weights.all_rows() == 1 &&
                uint64_t(sum.first_row) + rows <= weights.columns,
            op, map.shape() + " weighted by " + weights.shape() + " into " + y.shape());
    require(map.type == Type::f32 && y.type == Type::f32 && weights.type == Type::f32, op,
            "all must be f32");
    require_wide(y, op);
    const params::RowSumParams p{view(map), view(weights), view(y),  sum.heads, rows,
                                 y.columns, sum.first_row, sum.keep, sum.scale};
    const uint32_t threads = c.device().is_cpu() ? 4 : 64;
    c.dispatch(Kernel("row_sum", {threads}), {padded(y.columns) / 4},
               {read(map), read(weights), read_write(y)}, p);
}

}  // namespace saccade
