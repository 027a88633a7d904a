#include "gpu/ops/maps.h"

#include "gpu/ops/common.h"
#include "shaders/maps/params.h"

namespace saccade {

void upsample_into(Commands& c, const Tensor& y, const Tensor& x, Size size, uint32_t factor) {
    constexpr const char* op = "upsample";
    require_picture(x, size, op);
    require_picture(y, size * factor, op);
    require(y.batch == x.batch && y.columns == x.columns && y.type == x.type, op,
            x.shape() + " into " + y.shape());
    const Size out = size * factor;
    const params::UpsampleParams p{view(x), view(y), size.x, out.x, factor, x.columns};
    c.dispatch(Kernel(op, x.type, {pixel_threads(c)}),
               {out.x * (padded(x.columns) / 4), out.y, x.batch}, {read(x), write(y)}, p);
}

}  // namespace saccade
