#include "gpu/ops/attention.h"

#include <algorithm>

#include "gpu/chains/links.h"
#include "gpu/ops/common.h"
#include "shaders/attention/params.h"

namespace saccade {

void rope(Commands& c, const Tensor& x, const Rotation& by) {
    constexpr const char* op = "rope";
    const auto& [table, heads, head] = by;
    constexpr uint32_t largest_head = 128;  // a thread may hold all of it
    require(head > 0 && head % 2 == 0 && head <= largest_head && x.columns == heads * padded(head),
            op,
            x.shape() + " does not hold " + std::to_string(heads) + " heads of " +
                std::to_string(head));
    require(table.type == Type::f32 && table.batch == 1 && table.rows == x.rows &&
                table.columns == head,
            op, "table " + table.shape() + " for " + x.shape());
    require_wide(x, op);
    require_wide(table, op);
    const params::RopeParams p{view(x), view(table), heads, head};
    const uint32_t fours = head % 8 == 0 ? head / 8 : 0;  // of a head's head / 2 points
    c.dispatch(Kernel(op, x.type, {c.device().is_cpu() ? 4u : 32u, fours}),
               {heads * std::max(fours, 1u), x.rows, x.batch}, {read_write(x), read(table)}, p);
}

void rotated_linear_into(Commands& c, const Tensor& y, const Tensor& x, const RmsNorm& norm,
                         const Linear& w, const Rotation& by) {
    if (link_product(c, y, x,
                     {.weight = w.weight,
                      .bias = w.bias,
                      .norm = ChainNorm{norm.weight, {}, norm.eps},
                      .angles = by.table,
                      .rotated_heads = by.heads,
                      .head = by.head}))
        return;
    norm_linear_into(c, y, x, norm, w);
    rope(c, y.slice_columns(0, by.heads * padded(by.head)), by);
}

}  // namespace saccade
