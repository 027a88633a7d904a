#include "gpu/ops/maps.h"

#include "gpu/ops/common.h"
#include "shaders/maps/params.h"

namespace saccade {

Tensor avg_pool(Commands& c, const Tensor& x, Size size) {
    require_picture(x, size, "avg_pool");
    const Size out = halved(size);
    Tensor y = c.scratch(x.batch, area(out), x.columns, x.type);
    const params::AvgPoolParams p{view(x), view(y), size.y, size.x, out.y, out.x, x.columns};
    c.dispatch(Kernel("avg_pool", x.type, {pixel_threads(c)}),
               {out.x * (padded(x.columns) / 4), out.y, x.batch}, {read(x), write(y)}, p);
    return y;
}

}  // namespace saccade
