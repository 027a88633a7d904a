#include "gpu/ops/boxes.h"

#include "gpu/ops/common.h"
#include "shaders/boxes/params.h"

namespace saccade {

void gauge_in_place(Commands& c, const Tensor& y, const Tensor& gauge) {
    constexpr const char* op = "gauge";
    require(y.type == Type::f32 && gauge.type == Type::f32 && gauge.columns == 2 &&
                gauge.batch == y.batch && gauge.rows == y.rows,
            op, y.shape() + " by " + gauge.shape());
    require_wide(y, op);
    require_wide(gauge, op);
    const params::GaugeParams p{view(y), view(gauge), y.columns};
    c.dispatch(Kernel(op, {c.device().is_cpu() ? 4u : 32u}),
               {padded(y.columns) / 4, y.rows, y.batch}, {read_write(y), read(gauge)}, p);
}

}  // namespace saccade
