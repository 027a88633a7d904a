#include "gpu/ops/attention.h"

#include "gpu/ops/common.h"
#include "shaders/attention/params.h"

namespace saccade {

void rotate_heads(Commands& c, const Tensor& x, uint32_t heads, uint32_t size,
                  const Tensor& turns) {
    constexpr const char* op = "rotate_heads";
    require(heads > 0 && size > 0 && size % 2 == 0 && x.columns == heads * padded(size), op,
            x.shape() + " does not hold " + std::to_string(heads) + " heads of " +
                std::to_string(size));
    require(turns.batch == 1 && turns.rows == x.rows && turns.columns == size &&
                turns.type == Type::f32,
            op, "turns " + turns.shape() + " for " + x.shape());
    require_wide(x, op);
    const params::RotateHeadsParams p{view(x), view(turns), x.rows, heads};
    c.dispatch(Kernel(op, x.type, {c.device().is_cpu() ? 4u : 32u, padded(size) / 4, size / 2}),
               {heads, x.rows, x.batch}, {read_write(x), read(turns)}, p);
}

}  // namespace saccade
