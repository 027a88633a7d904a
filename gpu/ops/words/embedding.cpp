#include "gpu/ops/words.h"

#include "gpu/chains/links.h"
#include "gpu/ops/common.h"
#include "shaders/words/params.h"

namespace saccade {

Tensor embedding(Commands& c, const Tensor& ids, const Tensor& table, const Tensor& positions) {
    constexpr const char* op = "embedding";
    require(ids.type == Type::u32 && ids.rows == 1 && table.batch == 1, op,
            ids.shape() + " into " + table.shape());
    require(positions.type == Type::f32 && positions.batch == 1 && positions.rows == ids.columns &&
                positions.columns == table.columns,
            op, "positions " + positions.shape() + " for " + ids.shape());
    require_wide(table, op);
    require_wide(positions, op);
    Tensor y = c.scratch(ids.batch, ids.columns, table.columns, Type::f32);
    if (link_embedding(c, y, ids, table, positions)) return y;
    for (const Part& part : parts_of(table, c.device().limits())) {
        const params::EmbeddingParams p{view(ids),      view(part.rows), view(positions),
                                        view(y),        ids.columns,     y.columns,
                                        part.first_row, part.rows.rows,  table.rows};
        c.dispatch(
            Kernel("embedding", table.type, Type::f32, {pixel_threads(c)}),
            {padded(y.columns) / 4, ids.columns, ids.batch},
            {read(ids), read_some(part.rows, ids.batch * ids.columns), read(positions), write(y)},
            p);
    }
    return y;
}

}  // namespace saccade
