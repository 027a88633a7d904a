#include "gpu/ops/deformable.h"

#include <numeric>

#include "gpu/ops/common.h"
#include "gpu/ops/deformable/sampling.h"
#include "shaders/deformable/params.h"

namespace saccade {

void splat(Commands& c, const Tensor& maps, const SamplingPoints& from,
           const std::vector<Size>& levels, const std::vector<uint32_t>& points, Size map,
           const MapRange& range) {
    constexpr const char* op = "splat";
    const uint32_t each = std::reduce(points.begin(), points.end(), 0u);
    require(each > 0 && levels.size() == points.size() && levels.size() <= params::most_levels, op,
            "on " + std::to_string(levels.size()) + " levels");
    require(maps.type == Type::f32 && maps.rows == range.heads * range.rows &&
                maps.columns == area(map) && maps.batch == from.shares.batch,
            op, "into " + maps.shape());
    require(range.first_row + range.rows <= from.shares.rows &&
                (range.first_head + range.heads) * each <= from.shares.columns &&
                from.places.columns == 2 * from.shares.columns,
            op, "from " + from.shares.shape());
    params::SplatParams p{.places = view(from.places),
                          .shares = view(from.shares),
                          .maps = view(maps),
                          .level_sizes = {},
                          .level_points = {},
                          .points = each,
                          .levels = static_cast<uint32_t>(levels.size()),
                          .width = map.x,
                          .height = map.y,
                          .first_row = range.first_row,
                          .rows = range.rows,
                          .first_head = range.first_head};
    put_points(p.level_points, points);
    put_sizes(p.level_sizes, levels, op);
    c.dispatch(Kernel(op, {pixel_threads(c)}), {padded(maps.columns), maps.rows, maps.batch},
               {read(from.places), read(from.shares), write(maps)}, p);
}

}  // namespace saccade
