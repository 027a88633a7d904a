#include "gpu/language.h"
#include "gpu/ops/common.h"
#include "shaders/language_params.h"

namespace saccade {

Tensor gate(Commands& c, const Tensor& a, const Tensor& b, Type out, Activation activation) {
    constexpr const char* op = "gate";
    const Tensor y = c.scratch(a.batch, a.rows, a.columns, out);
    require(!b || (b.columns == a.columns && b.batch == a.batch && b.type == a.type &&
                   (b.rows == a.rows || b.rows == 1)),
            op, a.shape() + " gated by " + b.shape());
    require_wide(a, op);
    if (b) require_wide(b, op);
    params::GateParams p{view(a), view(b ? b : a), view(y), a.columns};
    if (b && b.rows == 1) p.b.row_stride = 0;  // every row meets the same one
    c.dispatch(Kernel(op, a.type, out,
                      {c.device().is_cpu() ? 4u : 64u, static_cast<uint32_t>(activation),
                       b ? 1u : 0u}),
               {padded(a.columns) / 4, a.rows, a.batch}, {read(a), read(b ? b : a), write(y)}, p);
    return y;
}

}  // namespace saccade
