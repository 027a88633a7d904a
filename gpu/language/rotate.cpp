#include "gpu/language.h"
#include "gpu/ops/common.h"

namespace saccade {

void rotate(Commands& c, const Tensor& x, const Tensor& table, uint32_t heads, uint32_t head) {
    constexpr const char* op = "rotate";
    constexpr uint32_t largest_head = 128;  // what a thread holds
    require(head > 0 && head % 2 == 0 && head <= largest_head && x.columns == heads * padded(head),
            op,
            x.shape() + " does not hold " + std::to_string(heads) + " heads of " +
                std::to_string(head));
    require(table.type == Type::f32 && table.batch == 1 && table.rows == x.rows &&
                table.columns == head,
            op, "table " + table.shape() + " for " + x.shape());
    require_wide(x, op);
    const params::RotateParams p{view(x), view(table), heads, head, padded(head)};
    c.dispatch(Kernel(op, x.type, {c.device().is_cpu() ? 4u : 32u}), {heads, x.rows, x.batch},
               {read_write(x), read(table)}, p);
}

}  // namespace saccade
