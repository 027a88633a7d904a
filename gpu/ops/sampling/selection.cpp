#include "gpu/ops/common.h"
#include "gpu/ops/links.h"
#include "gpu/sampling.h"

// Choosing few rows among many, and what is found in the end.

namespace saccade {

namespace {

// Each takes eight bytes of shared memory, of which every device has 16 KiB.
constexpr uint32_t most_selected = 1536;
// Of these many elements all count those that come before them: a pass over them for each.
constexpr uint32_t few_elements = 1024, few_threads = 64;
constexpr uint64_t most_fours = 1 << 22;  // that divide() of types.glsl can tell apart

void require_wide_f32(const Tensor& t, const char* op) {
    require(t.type == Type::f32, op, t.shape() + " is not f32");
    require_wide(t, op);
}

void require_list(const Tensor& list, uint32_t batch, const char* op) {
    require(list.type == Type::u32 && list.rows == 1 && list.batch == batch, op,
            "a list " + list.shape() + " for " + std::to_string(batch) + " batches");
}

void require_boxes(const Boxes& to, const Tensor& deltas, const Tensor& reference) {
    constexpr const char* op = "refine_boxes";
    for (const Tensor* t : {&deltas, &reference, &to.boxes}) require_wide_f32(*t, op);
    for (const Tensor* t : {&deltas, &reference, &to.boxes, &to.copy})
        require(t->columns == 4, op, t->shape() + " are not boxes");
    for (const Tensor* t : {&to.boxes, &to.copy})
        require(t->batch == deltas.batch && t->rows == to.boxes.rows, op,
                deltas.shape() + " into " + t->shape());
}

// Without a list where `from` is none.
void record_refined(Commands& c, const Boxes& to, const Tensor& deltas, const Tensor& reference,
                    const Tensor& from) {
    const params::RefineBoxesParams p{
        view(deltas),   view(reference), from ? view(from) : params::View{},
        view(to.boxes), view(to.copy),   to.boxes.rows};
    c.dispatch(Kernel("refine_boxes", to.copy.type, {pixel_threads(c), from ? 1u : 0u}),
               {to.boxes.rows, 1, deltas.batch},
               {read(deltas), read(reference), read(from ? from : reference), write(to.boxes),
                write(to.copy)},
               p);
}

}  // namespace

Tensor row_max(Commands& c, const Tensor& x) {
    require_wide_f32(x, "row_max");
    Tensor y = c.scratch(x.batch, 1, x.rows, Type::f32);
    const params::RowMaxParams p{view(x), view(y), x.rows, x.columns};
    c.dispatch(Kernel("row_max", {pixel_threads(c)}), {padded(x.rows), 1, x.batch},
               {read(x), write(y)}, p);
    return y;
}

Selected select(Commands& c, const Tensor& x, uint32_t k) {
    constexpr const char* op = "select";
    require_wide_f32(x, op);
    require(k > 0 && k <= uint64_t(x.rows) * x.columns && k <= most_selected, op,
            std::to_string(k) + " of " + x.shape());
    require(uint64_t(x.rows) * divide_up(x.columns, 4) < most_fours, op, "of " + x.shape());
    Selected found{c.scratch(x.batch, 1, k, Type::f32), c.scratch(x.batch, 1, k, Type::u32)};
    const params::SelectParams p{
        view(x), view(found.values), view(found.picks), x.rows, x.columns, k};
    const uint32_t elements = x.rows * x.columns;
    const bool all = elements <= few_elements;
    const uint32_t threads =
        all || c.device().is_cpu() ? few_threads : c.device().limits().workgroup_threads;
    c.dispatch(Kernel(op, {threads, padded(all ? elements : k), all}),
               {all ? elements : threads, 1, x.batch},
               {read(x), write(found.values), write(found.picks)}, p);
    return found;
}

Tensor gather_rows(Commands& c, const Tensor& x, const Tensor& from, Type out) {
    constexpr const char* op = "gather_rows";
    require_list(from, x.batch, op);
    require_wide(x, op);
    Tensor y = c.scratch(x.batch, from.columns, x.columns, out);
    const params::GatherRowsParams p{view(x), view(from), view(y), x.rows, x.columns};
    c.dispatch(Kernel(op, x.type, out, {pixel_threads(c)}),
               {padded(x.columns) / 4, from.columns, x.batch}, {read(x), read(from), write(y)}, p);
    return y;
}

void set_rows(Commands& c, const Tensor& y, const Tensor& rows, const Tensor& value) {
    constexpr const char* op = "set_rows";
    require_list(rows, 1, op);
    require_wide_f32(value, op);
    require(value.all_rows() == 1 && value.columns == y.columns, op,
            value.shape() + " into " + y.shape());
    require_wide(y, op);
    const params::SetRowsParams p{view(y), rows.offset, value.offset, y.columns};
    c.dispatch(Kernel(op, y.type, {pixel_threads(c)}),
               {padded(y.columns) / 4, rows.columns, y.batch},
               {read(rows), read(value), read_write(y)}, p);
}

void refine_boxes(Commands& c, const Boxes& to, const Tensor& deltas, const Tensor& reference) {
    require(reference.batch == deltas.batch && reference.rows == deltas.rows &&
                deltas.rows == to.boxes.rows,
            "refine_boxes", deltas.shape() + " from " + reference.shape());
    require_boxes(to, deltas, reference);
    if (!link_refine_boxes(c, to, deltas, reference))
        record_refined(c, to, deltas, reference, {});
}

void refine_picked_boxes(Commands& c, const Boxes& to, const Tensor& deltas, const Tensor& logits,
                         const Tensor& from) {
    constexpr const char* op = "refine_picked_boxes";
    require_list(from, deltas.batch, op);
    require(from.columns == to.boxes.rows && logits.batch == 1 && logits.rows == deltas.rows, op,
            "a list " + from.shape() + " for " + deltas.shape() + " from " + logits.shape());
    require_boxes(to, deltas, logits);
    record_refined(c, to, deltas, logits, from);
}

void move_boxes(Commands& c, const Boxes& boxes, const Tensor& placed, const Tensor& x,
                const Linear& deltas, const Linear& place, Activation activation) {
    constexpr const char* op = "move_boxes";
    require(x.batch == boxes.boxes.batch && x.rows == boxes.boxes.rows &&
                x.columns == deltas.weight.columns && deltas.weight.rows == 4 &&
                place.weight.columns == 4 && place.weight.rows == placed.columns &&
                placed.rows == x.rows && placed.batch == x.batch,
            op, x.shape() + " to " + placed.shape());
    if (link_move_boxes(c, boxes, placed, x, deltas, place, activation)) return;
    auto scope = c.scope(op);
    const Tensor moves = c.scratch(x.batch, x.rows, 4, Type::f32);
    linear_into(c, moves, x, deltas);
    refine_boxes(c, boxes, moves, boxes.boxes);
    linear_into(c, placed, boxes.copy, place, activation);
}

void picked_detections_into(Commands& c, const Tensor& y, const Selected& found,
                            const Tensor& boxes, uint32_t classes, Size picture) {
    constexpr const char* op = "picked_detections";
    for (const Tensor* t : {&found.values, &boxes, &y}) require_wide_f32(*t, op);
    require_list(found.picks, y.batch, op);
    require(classes > 0 && y.columns == 7 && boxes.columns == 4 && boxes.batch == y.batch &&
                found.picks.columns == y.rows,
            op, found.picks.shape() + ", " + boxes.shape() + " into " + y.shape());
    const params::PickedDetectionsParams p{view(found.values),
                                           view(found.picks),
                                           view(boxes),
                                           view(y),
                                           classes,
                                           y.rows,
                                           static_cast<float>(picture.x),
                                           static_cast<float>(picture.y)};
    c.dispatch(Kernel(op, {pixel_threads(c)}), {y.rows, 1, y.batch},
               {read(found.values), read(found.picks), read(boxes), write(y)}, p);
}

}  // namespace saccade
