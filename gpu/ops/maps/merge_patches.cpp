#include "gpu/ops/maps.h"

#include "gpu/ops/common.h"
#include "shaders/maps/params.h"

namespace saccade {

Tensor merge_patches(Commands& c, const Tensor& x, Size map, Type out) {
    constexpr const char* op = "merge_patches";
    require(x.rows == area(map) && x.columns % 4 == 0 && x.type == Type::f32, op,
            x.shape() + " is not a map of " + text(map) + " with columns in fours");
    require_wide(x, op);
    const Size half = (map + 1u) / 2u;
    const Tensor y = c.scratch(x.batch, area(half), 4 * x.columns, out);
    const params::MergePatchesParams p{view(x), view(y), map.x, map.y, half.x, x.columns};
    c.dispatch(Kernel(op, x.type, out, {pixel_threads(c)}), {x.columns, area(half), x.batch},
               {read(x), write(y)}, p);
    return y;
}

}  // namespace saccade
