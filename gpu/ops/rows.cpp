#include "gpu/ops/common.h"

namespace saccade {

Tensor softmax(Commands& c, const Tensor& x) {
    Tensor y = c.scratch(x.batch, x.rows, x.columns, Type::f32);
    const Span span = rows_of(x, y);
    const uint32_t threads = row_threads(c);
    const params::SoftmaxParams p{view(x), view(y), span.rows, x.columns};
    c.dispatch(Kernel("softmax", x.type, Type::f32, {threads}), {threads, span.rows, span.batch},
               {read(x), write(y)}, p);
    return y;
}

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
    const params::TopkParams p{view(x), view(top.values), view(top.columns), x.rows, x.columns, k};
    c.dispatch(Kernel("topk", x.type, Type::f32, {threads}), {threads, x.rows, x.batch},
               {read(x), write(top.values), write(top.columns)}, p);
}

}  // namespace saccade
