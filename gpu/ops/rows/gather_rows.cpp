#include "gpu/ops/rows.h"

#include "gpu/ops/common.h"
#include "shaders/rows/params.h"

namespace saccade {

Tensor gather_rows(Commands& c, const Tensor& x, const Tensor& from, Type out) {
    constexpr const char* op = "gather_rows";
    require_list(from, x.batch, op);
    require_wide(x, op);
    Tensor y = c.scratch(x.batch, from.columns, x.columns, out);
    const params::GatherRowsParams p{view(x), view(from), view(y), x.rows, x.columns};
    c.dispatch(Kernel(op, x.type, out, {pixel_threads(c)}),
               {padded(x.columns) / 4, from.columns, x.batch}, {read(x), read(from), write(y)}, p);
    return y;
}

}  // namespace saccade
