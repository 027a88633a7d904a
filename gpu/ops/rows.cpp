#include "gpu/ops/common.h"
#include "gpu/ops/links.h"

namespace saccade {

Tensor softmax(Commands& c, const Tensor& x) {
    Tensor y = c.scratch(x.batch, x.rows, x.columns, Type::f32);
    const Span span = rows_of(x, y);
    const uint32_t threads = row_threads(c);
    in_pieces(span.rows, [&](uint32_t first, uint32_t count) {
        const params::SoftmaxParams p{view(x, first), view(y, first), count, x.columns};
        c.dispatch(Kernel("softmax", x.type, Type::f32, {threads}), {threads, count, span.batch},
                   {read(x), write(y)}, p);
    });
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
    // Few of long rows: many workgroups find the best of a slice each, one finds the best of these.
    const uint32_t slice = c.device().is_cpu() ? 4096 : 1024, slices = divide_up(x.columns, slice);
    if (slices > 2 && k <= slice / 16) {
        auto scope = c.scope(op);
        const Tensor values = c.scratch(x.batch, x.rows, slices * padded(k), Type::f32);
        const Tensor names = c.scratch(x.batch, x.rows, slices * padded(k), Type::u32);
        const params::TopkParams part{view(x), view(values), view(names), {}, x.rows, x.columns, k};
        c.dispatch(Kernel(op, x.type, Type::f32, {threads, slice, 0}),
                   {slices * threads, x.rows, x.batch},
                   {read(x), write(values), write(names), read(x)}, part);
        const params::TopkParams merge{view(values), view(top.values), view(top.columns),
                                       view(names),  x.rows,           values.columns,
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

void pick(Commands& c, const Tensor& best, const Tensor& about, const Tensor& x) {
    constexpr const char* op = "pick";
    require(x.rows == 1 && x.type == Type::f32, op, "from " + x.shape());
    require(best.type == Type::u32 && about.type == Type::f32, op,
            best.shape() + ", " + about.shape());
    require(best.batch == x.batch && best.rows == 1 && best.columns == 1 &&
                about.batch == x.batch && about.rows == 3 && about.columns == 1,
            op, x.shape() + " into " + best.shape() + ", " + about.shape());
    require_wide(x, op);
    if (link_pick(c, best, about, x)) return;
    const Tensor rows = x.batches_as_rows();
    // Many workgroups find the best of a slice each, one finds the best of these.
    const uint32_t threads = row_threads(c), slice = c.device().is_cpu() ? 4096 : 1024;
    const uint32_t slices = divide_up(x.columns, slice);
    auto scope = c.scope(op);
    const Tensor parts = c.scratch(x.batch, slices, 3, Type::u32);
    const params::PickPartParams part{view(rows), view(parts), x.columns};
    c.dispatch(Kernel("pick.part", {threads, slice}), {slices * threads, x.batch},
               {read(x), write(parts)}, part);
    const params::PickMergeParams merge{view(parts), view(best), view(about), slices};
    c.dispatch(Kernel("pick.merge", {threads}), {threads, x.batch},
               {read(parts), write(best), write(about)}, merge);
}

void restrain(Commands& c, const Tensor& scores, const Tensor& ids, const Restraint& restraint) {
    constexpr const char* op = "restrain";
    const Tensor &banned = restraint.banned, &less = restraint.less;
    require(scores.rows == 1 && scores.type == Type::f32 && ids.batch == scores.batch &&
                ids.columns == 1 && ids.type == Type::u32,
            op, scores.shape() + " after " + ids.shape());
    require(!banned || (banned.type == Type::u32 && banned.all_rows() == 1), op,
            "banned " + banned.shape());
    require(!less || (less.type == Type::f32 && less.batch == scores.batch && less.rows == 1 &&
                      less.columns == 1),
            op, "less " + less.shape() + " for " + scores.shape());
    const params::RestrainParams p{
        .scores = view(scores.batches_as_rows()),
        .ids = view(ids),
        .less = less ? view(less.batches_as_rows()) : params::View{},
        .columns = scores.columns,
        .said = ids.rows,
        .banned = banned ? banned.offset : 0,
        .banned_count = banned ? banned.columns : 0,
        .run = restraint.run,
        .forced = restraint.forced,
        .use_less = less ? 1u : 0u,
        .penalty = restraint.penalty,
    };
    const uint32_t threads = row_threads(c);
    c.dispatch(
        Kernel("restrain", {threads}), {threads, scores.batch},
        {read_write(scores), read(ids), read(banned ? banned : ids), read(less ? less : ids)}, p);
}

void choose_beams(Commands& c, const BeamStep& step) {
    constexpr const char* op = "choose_beams";
    const auto& [values, words] = step.candidates;
    const uint32_t all = values.batch, k = values.columns;
    const uint32_t running = step.first ? 1 : step.beams;
    require(c.device().features().float64, op, c.device().info().name + " has no fp64");
    require(step.beams > 0 && all % step.beams == 0 && running * k <= most_beam_candidates &&
                step.beams <= most_beam_candidates,
            op, std::to_string(step.beams) + " beams of " + values.shape());
    require(values.rows == 1 && values.type == Type::f32 && words.batch == all &&
                words.rows == 1 && words.columns == k && words.type == Type::u32,
            op, values.shape() + ", " + words.shape());
    require(step.less.batch == all && step.less.rows == 1 && step.less.columns == 1 &&
                step.less.type == Type::f32,
            op, "less " + step.less.shape() + " for " + values.shape());
    for (const Tensor* ids : {&step.before, &step.after})
        require(ids->batch == all && ids->columns == 1 && ids->type == Type::u32 &&
                    ids->rows >= step.said + (ids == &step.after ? 1 : 0),
                op, "ids " + ids->shape() + " for " + values.shape());
    require(step.parents.all_rows() == 1 && step.parents.columns == all &&
                step.parents.type == Type::u32 && step.parents.offset == 0 &&
                step.sums.all_rows() == 1 && step.sums.columns == 2 * all &&
                step.sums.type == Type::u32 && step.sums.offset == 0,
            op, step.parents.shape() + ", " + step.sums.shape() + " for " + values.shape());
    require(!step.stops || (step.stops.type == Type::u32 && step.stops.all_rows() == 1 &&
                            step.stops.offset == 0),
            op, "stops " + step.stops.shape());
    const params::ChooseBeamsParams p{
        .values = view(values),
        .words = view(words),
        .less = view(step.less),
        .before = view(step.before),
        .after = view(step.after),
        .beams = step.beams,
        .running = running,
        .candidates = k,
        .ranked = step.ranked,
        .said = step.said,
        .first = step.first ? 1u : 0u,
        .vocabulary = step.vocabulary,
        .stops = step.stops ? step.stops.columns : 0,
    };
    const uint32_t threads = row_threads(c);
    c.dispatch(Kernel(op, {threads}), {all / step.beams * threads},
               {read(values), read(words), read(step.less),
                read(step.stops ? step.stops : step.before), read(step.before), write(step.after),
                write(step.parents), read_write(step.sums)},
               p);
}

void detections_into(Commands& c, const Tensor& y, const Tensor& logits, const Tensor& boxes,
                     uint32_t classes, Size picture) {
    constexpr const char* op = "detections";
    for (const Tensor* t : {&y, &boxes})
        require(t->batch == logits.batch && t->rows == logits.rows, op,
                t->shape() + " for " + logits.shape());
    require(classes > 0 && classes <= logits.columns && boxes.columns == 4 && y.columns == 7, op,
            logits.shape() + ", " + boxes.shape() + " into " + y.shape());
    for (const Tensor* t : {&logits, &boxes, &y})
        require(t->type == Type::f32, op, t->shape() + " is not f32");
    require_wide(boxes, op);
    require_wide(y, op);
    const uint32_t threads = row_threads(c);
    const params::DetectionsParams p{view(logits),
                                     view(boxes),
                                     view(y),
                                     logits.columns,
                                     classes,
                                     static_cast<float>(picture.x),
                                     static_cast<float>(picture.y)};
    c.dispatch(Kernel("detections", {threads}), {threads, logits.rows, logits.batch},
               {read(logits), read(boxes), write(y)}, p);
}

}  // namespace saccade
