#include <algorithm>

#include "gpu/ops/common.h"
#include "gpu/sampling.h"

// Choosing few rows among many, and what is found in the end.

namespace saccade {

namespace {

// Each takes eight bytes of shared memory, of which every device has 16 KiB.
constexpr uint32_t most_selected = 1536;
// Of these many elements all count those that come before them: a pass over them for each.
constexpr uint32_t few_elements = 1024, few_threads = 256, cpu_threads = 64;
constexpr uint64_t most_fours = 1 << 22;  // that divide() of types.glsl can tell apart

void require_wide_f32(const Tensor& t, const char* op) {
    require(t.type == Type::f32, op, t.shape() + " is not f32");
    require_wide(t, op);
}

void require_list(const Tensor& list, uint32_t batch, const char* op) {
    require(list.type == Type::u32 && list.rows == 1 && list.batch == batch, op,
            "a list " + list.shape() + " for " + std::to_string(batch) + " batches");
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
    const uint32_t most = c.device().limits().workgroup_threads;
    const uint32_t threads = c.device().is_cpu() ? cpu_threads
                             : all               ? std::min(few_threads, most)
                                                 : most;
    c.dispatch(Kernel(op, {threads, padded(all ? elements : k), all}),
               {all ? elements * params::select_counters : threads, 1, x.batch},
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
