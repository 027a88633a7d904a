#include "gpu/ops/elementwise.h"

#include "gpu/ops/common.h"
#include "shaders/elementwise/params.h"

namespace saccade {

void add_column(Commands& c, const Tensor& x, const Tensor& column) {
    constexpr const char* op = "add_column";
    for (const Tensor* t : {&x, &column}) require_f32(*t, op);
    require_same_rows(column, x, op);
    require(column.columns == 1, op, column.shape() + " to " + x.shape());
    require_wide(x, op);
    const params::AddColumnParams p{view(x), view(column), x.columns};
    c.dispatch(Kernel(op, {pixel_threads(c)}), {padded(x.columns) / 4, x.rows, x.batch},
               {read_write(x), read(column)}, p);
}

}  // namespace saccade
