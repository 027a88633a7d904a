#include "gpu/ops/common.h"
#include "gpu/sampling.h"

// What D-FINE does beside sampling: distributions over edges, gates, and a quality that is added to
// scores.

namespace saccade {

namespace {

void require_alike(const Tensor& a, const Tensor& b, const char* op) {
    require(a.batch == b.batch && a.rows == b.rows, op, a.shape() + " beside " + b.shape());
}

void require_f32(const Tensor& t, const char* op) {
    require(t.type == Type::f32, op, t.shape() + " is not f32");
}

}  // namespace

void edge_boxes(Commands& c, const EdgeBoxes& to, const Tensor& corners, const Tensor& reference,
                const Tensor& weights, float scale, uint32_t best) {
    constexpr const char* op = "edge_boxes";
    const auto& [boxes, copy] = to.boxes;
    for (const Tensor* t : {&corners, &reference, &weights, &boxes}) require_f32(*t, op);
    for (const Tensor* t : {&reference, &boxes, &copy}) {
        require_alike(*t, corners, op);
        require(t->columns == 4, op, t->shape() + " are not boxes");
        require_wide(*t, op);
    }
    const uint32_t bins = weights.columns;
    require(corners.columns == 4 * bins && weights.all_rows() == 1 && weights.offset == 0 &&
                best <= bins,
            op, corners.shape() + " with weights " + weights.shape());
    const Tensor& told = to.statistics;
    if (told) {
        require_f32(told, op);
        require_alike(told, corners, op);
        require(told.columns == 4 * (best + 1), op, corners.shape() + " into " + told.shape());
    }
    const params::EdgeBoxesParams p{view(corners), view(reference), view(boxes),  view(copy),
                                    view(told),    corners.rows,    bins,         best, scale};
    const uint32_t at_once = c.device().is_cpu() ? 1 : 16;
    c.dispatch(Kernel(op, copy.type, {at_once, told ? 1u : 0u}), {4, corners.rows, corners.batch},
               {read(corners), read(reference), read(weights), write(boxes), write(copy),
                told ? write(told) : read(corners)},
               p);
}

void gated_add(Commands& c, const Tensor& x, const Tensor& other, const Tensor& gates) {
    constexpr const char* op = "gated_add";
    for (const Tensor* t : {&x, &gates}) require_f32(*t, op);
    for (const Tensor* t : {&x, &other, &gates}) {
        require_alike(*t, x, op);
        require_wide(*t, op);
    }
    require(other.columns == x.columns && gates.columns == 2 * padded(x.columns), op,
            x.shape() + ", " + other.shape() + " by " + gates.shape());
    const params::GatedAddParams p{view(x), view(other), view(gates), x.columns, padded(x.columns)};
    c.dispatch(Kernel(op, other.type, {pixel_threads(c)}),
               {padded(x.columns) / 4, x.rows, x.batch}, {read_write(x), read(other), read(gates)},
               p);
}

void add_column(Commands& c, const Tensor& x, const Tensor& column) {
    constexpr const char* op = "add_column";
    for (const Tensor* t : {&x, &column}) require_f32(*t, op);
    require_alike(column, x, op);
    require(column.columns == 1, op, column.shape() + " to " + x.shape());
    require_wide(x, op);
    const params::AddColumnParams p{view(x), view(column), x.columns};
    c.dispatch(Kernel(op, {pixel_threads(c)}), {padded(x.columns) / 4, x.rows, x.batch},
               {read_write(x), read(column)}, p);
}

}  // namespace saccade
