#include "gpu/ops/deformable.h"

#include <numeric>

#include "gpu/ops/common.h"
#include "gpu/ops/deformable/sampling.h"
#include "shaders/deformable/params.h"

namespace saccade {

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
    c.dispatch(
        Kernel(op, values.type,
               {pixel_threads(c), static_cast<uint32_t>(levels.size()), sampling.discrete ? 1u : 0u,
                c.device().is_cpu() ? 1u : 4u}),
        {padded(y.columns) / 4, y.rows, y.batch},
        {read(values), read(queries.offsets), read(queries.weights), read(queries.boxes), write(y)},
        p);
}

}  // namespace saccade
