#include "gpu/ops/grid_attention.h"

#include "gpu/ops/common.h"
#include "gpu/ops/grid_attention/relative.h"
#include "shaders/grid_attention/params.h"

namespace saccade {

Tensor relative_scores(Commands& c, const Tensor& q, const Heads& heads,
                       const RelativePlaces& places) {
    constexpr const char* op = "relative_scores";
    const uint32_t size = relative_head_size(q, heads, op);
    auto fits = [&](const Tensor& table, uint32_t rows) {
        return table.type == Type::f32 && table.offset == 0 && table.rows == rows &&
               padded(table.columns) == size;
    };
    require(fits(places.down, places.queries.y * places.keys.y) &&
                fits(places.across, places.queries.x * places.keys.x) &&
                q.rows == places.first + area(places.queries),
            op, "tables " + places.down.shape() + ", " + places.across.shape());
    const uint32_t columns = heads.count * (places.keys.x + places.keys.y);
    const Tensor y = c.scratch(q.batch, area(places.queries), columns, Type::f32);
    const params::RelativeScoresParams p{
        view(q),       view(y),       places.first, places.queries.x,
        places.keys.y, places.keys.x, heads.count,  places.down.row_stride};
    c.dispatch(Kernel(op, q.type, Type::f32, {pixel_threads(c), size / 4}),
               {padded(columns), area(places.queries), q.batch},
               {read(q), read(places.down), read(places.across), write(y)}, p);
    return y;
}

}  // namespace saccade
