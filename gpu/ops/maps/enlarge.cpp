#include "gpu/ops/maps.h"

#include "gpu/ops/common.h"
#include "shaders/maps/params.h"

namespace saccade {

Tensor enlarge(Commands& c, const Tensor& x, Size from, Size to) {
    constexpr const char* op = "enlarge";
    require(x.rows == area(from) && area(from) > 0 && area(to) > 0, op,
            x.shape() + " is not a picture that can be enlarged");
    require_wide(x, op);
    Tensor y = c.scratch(x.batch, area(to), x.columns, x.type);
    const params::AddEnlargedParams p{{}, view(x), view(y), to.x, to.y, from.x, from.y, x.columns};
    c.dispatch(Kernel(op, x.type, {pixel_threads(c)}),
               {to.x * (padded(x.columns) / 4), to.y, x.batch}, {read(x), write(y)}, p);
    return y;
}

}  // namespace saccade
