#include "gpu/ops/boxes.h"

#include <algorithm>

#include "gpu/ops/common.h"
#include "shaders/boxes/params.h"

namespace saccade {

void best_queries_into(Commands& c, const Tensor& list, const Tensor& found) {
    constexpr const char* op = "best_queries";
    require(list.type == Type::u32 && list.batch == 1 && list.rows == 2 &&
                found.type == Type::f32 && found.batch == 1 && found.columns == 7 &&
                list.columns <= found.rows,
            op, found.shape() + " into " + list.shape());
    const params::BestQueriesParams p{view(found), view(list), found.rows, list.columns};
    c.dispatch(Kernel(op, {pixel_threads(c)}), {std::max(found.rows, row_quantum)},
               {read(found), write(list)}, p);
}

}  // namespace saccade
