#include "gpu/ops/maps.h"

#include "gpu/ops/common.h"
#include "shaders/maps/params.h"

namespace saccade {

Tensor add_enlarged(Commands& c, const Tensor& x, Size size, const Tensor& small, Size small_size) {
    constexpr const char* op = "add_enlarged";
    require(x.batch == 1 && x.rows == area(size) && small.rows == area(small_size) &&
                area(small_size) > 0 && x.columns == small.columns && x.type == small.type,
            op, small.shape() + " onto " + x.shape());
    require_wide(x, op);
    require_wide(small, op);
    Tensor y = c.scratch(small.batch, x.rows, x.columns, x.type);
    const params::AddEnlargedParams p{view(x), view(small),  view(y),      size.x,
                                      size.y,  small_size.x, small_size.y, x.columns};
    c.dispatch(Kernel(op, x.type, {pixel_threads(c)}),
               {size.x * (padded(x.columns) / 4), size.y, small.batch},
               {read(x), read(small), write(y)}, p);
    return y;
}

}  // namespace saccade
