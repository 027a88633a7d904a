#include "gpu/ops/rows.h"

#include "gpu/ops/common.h"
#include "shaders/rows/params.h"

namespace saccade {

void set_rows(Commands& c, const Tensor& y, const Tensor& rows, const Tensor& value) {
    constexpr const char* op = "set_rows";
    require_list(rows, 1, op);
    require_wide_f32(value, op);
    require(value.all_rows() == 1 && value.columns == y.columns, op,
            value.shape() + " into " + y.shape());
    require_wide(y, op);
    const params::SetRowsParams p{view(y), rows.offset, value.offset, y.columns};
    c.dispatch(Kernel(op, y.type, {pixel_threads(c)}),
               {padded(y.columns) / 4, rows.columns, y.batch},
               {read(rows), read(value), read_write(y)}, p);
}

}  // namespace saccade
