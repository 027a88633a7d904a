#include "gpu/ops/rows.h"

#include "gpu/ops/common.h"
#include "shaders/rows/params.h"

namespace saccade {

Tensor row_max(Commands& c, const Tensor& x) {
    require_wide_f32(x, "row_max");
    Tensor y = c.scratch(x.batch, 1, x.rows, Type::f32);
    const params::RowMaxParams p{view(x), view(y), x.rows, x.columns};
    c.dispatch(Kernel("row_max", {pixel_threads(c)}), {padded(x.rows), 1, x.batch},
               {read(x), write(y)}, p);
    return y;
}

}  // namespace saccade
