#include "gpu/ops/maps.h"

#include <algorithm>

#include "gpu/ops/common.h"
#include "shaders/maps/params.h"

namespace saccade {

Size Pool::out_size(Size in_size) const {
    return {windows_along(in_size.x + zeros_after, kernel, stride, padding),
            windows_along(in_size.y + zeros_after, kernel, stride, padding)};
}

Tensor max_pool(Commands& c, const Tensor& x, Size size, const Pool& pool) {
    Tensor y = c.scratch(x.batch, std::max(1u, area(pool.out_size(size))), x.columns, x.type);
    max_pool_into(c, y, x, size, pool);
    return y;
}

void max_pool_into(Commands& c, const Tensor& y, const Tensor& x, Size size, const Pool& pool) {
    constexpr const char* op = "max_pool";
    const Size out = pool.out_size(size);
    require(x.rows == area(size) && area(out) > 0 && pool.padding < pool.kernel, op,
            x.shape() + " is not a picture of " + text(size) + " that can be pooled");
    require(y.batch == x.batch && y.rows == area(out) && y.columns == x.columns && y.type == x.type,
            op, x.shape() + " does not give " + y.shape());
    require_wide(x, op);
    require_wide(y, op);
    const params::MaxPoolParams p{
        view(x),     view(y),     size.y,       size.x,           out.y,    out.x,
        pool.kernel, pool.stride, pool.padding, pool.zeros_after, x.columns};
    c.dispatch(Kernel("max_pool", x.type, {row_threads(c)}),
               {out.x * (padded(x.columns) / 4), out.y, x.batch}, {read(x), write(y)}, p);
}

}  // namespace saccade
