#include "gpu/ops/elementwise.h"

#include "gpu/ops/common.h"
#include "shaders/elementwise/params.h"

namespace saccade {

Tensor gate(Commands& c, const Tensor& x, uint32_t columns, Activation activation) {
    constexpr const char* op = "gate";
    const uint32_t second = padded(columns);
    require(columns > 0 && x.columns == 2 * second, op,
            x.shape() + " is not two halves of " + std::to_string(columns));
    require_wide(x, op);
    Tensor y = c.scratch(x.batch, x.rows, columns, x.type);
    const Span span = rows_of(x, y);
    in_pieces(span.rows, [&](uint32_t first, uint32_t count) {
        const params::GateParams p{view(x, first), view(y, first), count, columns, second};
        c.dispatch(Kernel(op, x.type, {pixel_threads(c), static_cast<uint32_t>(activation)}),
                   {second / 4, count, span.batch}, {read(x), write(y)}, p);
    });
    return y;
}

}  // namespace saccade
