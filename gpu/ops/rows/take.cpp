#include "gpu/ops/rows.h"

#include "gpu/ops/common.h"
#include "shaders/rows/params.h"

namespace saccade {

void take(Commands& c, const Tensor& y, const Tensor& x, const Tensor& index,
          const Selection& how) {
    constexpr const char* op = "take";
    require(y.type == Type::f32 && x.type == Type::f32 && index.type == Type::u32 && y.batch == 1 &&
                x.all_rows() == 1 && index.batch == 1 && index.rows == y.rows &&
                index.columns == y.columns,
            op, x.shape() + " by " + index.shape() + " into " + y.shape());
    const params::TakeParams p{view(x),   view(index), view(y),  x.columns,
                               y.columns, how.keep,    how.scale};
    c.dispatch(Kernel(op, {pixel_threads(c)}), {padded(y.columns), y.rows},
               {read(x), read(index), how.keep != 0.0f ? read_write(y) : write(y)}, p);
}

}  // namespace saccade
