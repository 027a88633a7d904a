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

void detections_into(Commands& c, const Tensor& y, const Tensor& logits, const Tensor& boxes,
                     Extent picture) {
    constexpr const char* op = "detections";
    for (const Tensor* t : {&y, &boxes})
        require(t->batch == logits.batch && t->rows == logits.rows, op,
                t->shape() + " for " + logits.shape());
    require(logits.columns >= 2 && boxes.columns == 4 && y.columns == 6, op,
            logits.shape() + ", " + boxes.shape() + " into " + y.shape());
    for (const Tensor* t : {&logits, &boxes, &y})
        require(t->type == Type::f32, op, t->shape() + " is not f32");
    require_wide(boxes, op);
    require_wide(y, op);
    const uint32_t threads = row_threads(c);
    const params::DetectionsParams p{view(logits),
                                     view(boxes),
                                     view(y),
                                     logits.columns - 1,
                                     static_cast<float>(picture.width),
                                     static_cast<float>(picture.height)};
    c.dispatch(Kernel("detections", {threads}), {threads, logits.rows, logits.batch},
               {read(logits), read(boxes), write(y)}, p);
}

}  // namespace saccade
