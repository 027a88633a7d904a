#include "gpu/ops/deformable.h"

#include "gpu/ops/common.h"
#include "gpu/ops/deformable/sampling.h"
#include "shaders/deformable/params.h"

namespace saccade {

SamplingPoints sampling_points(Commands& c, const SamplingQueries& queries, uint32_t heads,
                               const Sampling& sampling) {
    constexpr const char* op = "sampling_points";
    require_queries(queries, heads, sampling, op);
    const Tensor &boxes = queries.boxes, &weights = queries.weights;
    SamplingPoints points{c.scratch(boxes.batch, boxes.rows, queries.offsets.columns, Type::f32),
                          c.scratch(boxes.batch, boxes.rows, weights.columns, Type::f32)};
    params::SamplingPointsParams p{.offsets = view(queries.offsets),
                                   .weights = view(weights),
                                   .boxes = view(boxes),
                                   .places = view(points.places),
                                   .shares = view(points.shares),
                                   .level_points = {},
                                   .points = sampling.all_points(),
                                   .heads = heads,
                                   .levels = static_cast<uint32_t>(sampling.points.size()),
                                   .scale = sampling.scale};
    put_points(p.level_points, sampling.points);
    c.dispatch(Kernel(op, {pixel_threads(c)}), {heads, boxes.rows, boxes.batch},
               {read(queries.offsets), read(weights), read(boxes), write(points.places),
                write(points.shares)},
               p);
    return points;
}

}  // namespace saccade
