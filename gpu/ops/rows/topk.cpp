#include "gpu/ops/rows.h"

#include "gpu/ops/common.h"
#include "shaders/rows/params.h"

namespace saccade {

Top topk(Commands& c, const Tensor& x, uint32_t k) {
    const Top top{c.scratch(x.batch, x.rows, k, Type::f32),
                  c.scratch(x.batch, x.rows, k, Type::u32)};
    topk_into(c, top, x);
    return top;
}

void topk_into(Commands& c, const Top& top, const Tensor& x) {
    constexpr const char* op = "topk";
    const uint32_t k = top.values.columns;
    require(k <= x.columns && top.columns.columns == k && top.values.type == Type::f32 &&
                top.columns.type == Type::u32,
            op, std::to_string(k) + " of " + x.shape());
    for (const Tensor* t : {&top.values, &top.columns})
        require(t->batch == x.batch && t->rows == x.rows, op, t->shape() + " of " + x.shape());
    const uint32_t threads = row_threads(c);
    // A few of long rows: many workgroups find the best of a slice each; one workgroup finds the
    // best of these.
    const uint32_t slice = c.device().is_cpu() ? 4096 : 1024, slices = divide_up(x.columns, slice);
    if (slices > 2 && k <= slice / 16) {
        auto scope = c.scope(op);
        const Tensor values = c.scratch(x.batch, x.rows, slices * padded(k), Type::f32);
        const Tensor names = c.scratch(x.batch, x.rows, slices * padded(k), Type::u32);
        const params::TopkParams part{view(x), view(values), view(names), {}, x.rows, x.columns, k};
        c.dispatch(Kernel(op, x.type, Type::f32, {threads, slice, 0}),
                   {slices * threads, x.rows, x.batch},
                   {read(x), write(values), write(names), read(x)}, part);
        const params::TopkParams merge{view(values),
                                       view(top.values),
                                       view(top.columns),
                                       view(names),
                                       x.rows,
                                       values.columns,
                                       k};
        c.dispatch(Kernel(op, Type::f32, {threads, 0, 1}), {threads, x.rows, x.batch},
                   {read(values), write(top.values), write(top.columns), read(names)}, merge);
        return;
    }
    const params::TopkParams p{view(x), view(top.values), view(top.columns), {}, x.rows, x.columns,
                               k};
    const uint32_t all = threads_for_steps(c, threads, uint64_t(k) * (1 + padded(x.columns) / 4));
    c.dispatch(Kernel(op, x.type, Type::f32, {all, 0, 0}), {all, x.rows, x.batch},
               {read(x), write(top.values), write(top.columns), read(x)}, p);
}

}  // namespace saccade
