#include "gpu/ops/rows.h"

#include "gpu/ops/common.h"
#include "shaders/rows/params.h"

namespace saccade {

void gather(Commands& c, const Tensor& y, const Tensor& x, const Tensor& from) {
    constexpr const char* op = "gather";
    require(y.rows == x.rows && y.columns == x.columns && y.type == x.type && x.type != Type::u32,
            op, x.shape() + " into " + y.shape());
    require(from.type == Type::u32 && from.all_rows() == 1 && from.columns == y.batch, op,
            "from " + from.shape() + " for " + y.shape());
    require_wide(x, op);
    require_wide(y, op);
    const params::GatherParams p{view(x), view(y), from.offset, x.batch, y.columns};
    c.dispatch(Kernel("gather", x.type, {pixel_threads(c)}),
               {padded(y.columns) / 4, y.rows, y.batch}, {read(x), read(from), write(y)}, p);
}

}  // namespace saccade
