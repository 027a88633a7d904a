#include "gpu/ops/rows.h"

#include "gpu/ops/common.h"
#include "shaders/rows/params.h"

namespace saccade {

void mean_rows_into(Commands& c, const Tensor& y, const Tensor& x) {
    constexpr const char* op = "mean_rows";
    require(y.batch == x.batch && y.rows == 1 && y.columns == x.columns && x.rows > 0, op,
            x.shape() + " into " + y.shape());
    require_wide(x, op);
    require_wide(y, op);
    const uint32_t threads = row_threads(c);
    const params::MeanRowsParams p{view(x), view(y), x.rows, x.columns};
    c.dispatch(Kernel(op, x.type, y.type, {threads}), {threads, padded(x.columns) / 4, x.batch},
               {read(x), write(y)}, p);
}

}  // namespace saccade
