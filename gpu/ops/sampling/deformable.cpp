#include <numeric>

#include "gpu/ops/common.h"
#include "gpu/sampling.h"

namespace saccade {

namespace {

void require_queries(const SamplingQueries& q, uint32_t heads, const Sampling& sampling,
                     const char* op) {
    const uint32_t points = heads * sampling.all_points();
    require(points > 0 && sampling.points.size() <= params::most_levels, op,
            "on " + std::to_string(sampling.points.size()) + " levels");
    for (uint32_t count : sampling.points)
        require(count < 256, op, std::to_string(count) + " points on a level");
    for (const Tensor* t : {&q.offsets, &q.weights, &q.boxes})
        require(t->type == Type::f32 && t->batch == q.boxes.batch && t->rows == q.boxes.rows, op,
                t->shape() + " for boxes " + q.boxes.shape());
    require(q.offsets.columns == 2 * points && q.weights.columns == points && q.boxes.columns == 4,
            op, q.offsets.shape() + ", " + q.weights.shape() + ", " + q.boxes.shape());
    require_wide(q.boxes, op);
}

// Eight bits a level.
void put_points(uint32_t (&to)[2], const std::vector<uint32_t>& points) {
    for (size_t level = 0; level < points.size(); ++level)
        to[level / 4] |= points[level] << (8 * (level % 4));
}

// A word a level; gives the cells of all.
uint32_t put_sizes(uint32_t (&to)[8], const std::vector<Size>& levels, const char* op) {
    uint32_t cells = 0;
    for (size_t level = 0; level < levels.size(); ++level) {
        require(levels[level].x < 65536 && levels[level].y < 65536, op, "on too large a map");
        to[level] = levels[level].x | levels[level].y << 16;
        cells += area(levels[level]);
    }
    return cells;
}

}  // namespace

uint32_t Sampling::all_points() const { return std::reduce(points.begin(), points.end(), 0u); }

Tensor deformable(Commands& c, const Tensor& values, const std::vector<Size>& levels,
                  const SamplingQueries& queries, uint32_t heads, const Sampling& sampling) {
    Tensor y = c.scratch(values.batch, queries.boxes.rows, values.columns, values.type);
    deformable_into(c, y, values, levels, queries, heads, sampling);
    return y;
}

void deformable_into(Commands& c, const Tensor& y, const Tensor& values,
                     const std::vector<Size>& levels, const SamplingQueries& queries,
                     uint32_t heads, const Sampling& sampling) {
    constexpr const char* op = "deformable";
    require_queries(queries, heads, sampling, op);
    require(values.batch == queries.boxes.batch && values.columns % heads == 0 &&
                values.columns / heads % 4 == 0 && levels.size() == sampling.points.size(),
            op, values.shape() + " of " + std::to_string(heads) + " heads");
    require(y.batch == values.batch && y.rows == queries.boxes.rows &&
                y.columns == values.columns && y.type == values.type,
            op, values.shape() + " into " + y.shape());
    require_wide(values, op);
    require_wide(y, op);
    params::DeformableParams p{.values = view(values),
                               .offsets = view(queries.offsets),
                               .weights = view(queries.weights),
                               .boxes = view(queries.boxes),
                               .y = view(y),
                               .level_sizes = {},
                               .level_points = {},
                               .head = values.columns / heads,
                               .columns = values.columns,
                               .points = sampling.all_points(),
                               .scale = sampling.scale};
    put_points(p.level_points, sampling.points);
    const uint32_t cells = put_sizes(p.level_sizes, levels, op);
    require(values.rows == cells, op,
            values.shape() + " are not maps of " + std::to_string(cells) + " cells");
    c.dispatch(Kernel(op, values.type,
                      {pixel_threads(c), static_cast<uint32_t>(levels.size()),
                       sampling.discrete ? 1u : 0u, c.device().is_cpu() ? 1u : 4u}),
               {padded(y.columns) / 4, y.rows, y.batch},
               {read(values), read(queries.offsets), read(queries.weights), read(queries.boxes),
                write(y)},
               p);
}

SamplingPoints sampling_points(Commands& c, const SamplingQueries& queries, uint32_t heads,
                               const Sampling& sampling) {
    constexpr const char* op = "sampling_points";
    require_queries(queries, heads, sampling, op);
    const Tensor &boxes = queries.boxes, &weights = queries.weights;
    SamplingPoints points{
        c.scratch(boxes.batch, boxes.rows, queries.offsets.columns, Type::f32),
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
