#include "gpu/ops/elementwise.h"

#include "gpu/ops/common.h"
#include "shaders/elementwise/params.h"

namespace saccade {

void gated_add(Commands& c, const Tensor& x, const Tensor& other, const Tensor& gates) {
    constexpr const char* op = "gated_add";
    for (const Tensor* t : {&x, &gates}) require_f32(*t, op);
    for (const Tensor* t : {&x, &other, &gates}) {
        require_same_rows(*t, x, op);
        require_wide(*t, op);
    }
    require(other.columns == x.columns && gates.columns == 2 * padded(x.columns), op,
            x.shape() + ", " + other.shape() + " by " + gates.shape());
    const params::GatedAddParams p{view(x), view(other), view(gates), x.columns, padded(x.columns)};
    c.dispatch(Kernel(op, other.type, {pixel_threads(c)}), {padded(x.columns) / 4, x.rows, x.batch},
               {read_write(x), read(other), read(gates)}, p);
}

}  // namespace saccade
