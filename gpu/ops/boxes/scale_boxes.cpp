#include "gpu/ops/boxes.h"

#include "gpu/ops/boxes/moved_boxes.h"
#include "gpu/ops/common.h"
#include "shaders/boxes/params.h"

namespace saccade {

namespace {

// For picked boxes: their rows, the deltas of a second move, and the sine embedding of the result.
struct Picked {
    Tensor from, again, sines;
};

void record_scaled(Commands& c, const Boxes& to, const Tensor& deltas, const Tensor& reference,
                   const Picked* picked) {
    const uint32_t rows = to.boxes.rows;
    params::ScaleBoxesParams p{.deltas = view(deltas),
                               .reference = view(reference),
                               .from = {},
                               .again = {},
                               .boxes = view(to.boxes),
                               .copy = view(to.copy),
                               .y = {},
                               .count = rows,
                               .numbers = 0};
    Threads threads{rows, 1, to.boxes.batch};
    if (picked) {
        p.from = view(picked->from);
        p.again = view(picked->again);
        p.y = view(picked->sines);
        p.numbers = picked->sines.columns / 4;
        threads = {p.numbers, rows, to.boxes.batch};
    }
    c.dispatch(Kernel("scale_boxes", to.copy.type, {pixel_threads(c), picked ? 1u : 0u}), threads,
               {read(deltas), read(reference), read(picked ? picked->from : reference),
                read(picked ? picked->again : reference), write(to.boxes), write(to.copy),
                picked ? write(picked->sines) : read(reference)},
               p);
}

}  // namespace

void scale_boxes(Commands& c, const Boxes& to, const Tensor& deltas, const Tensor& reference) {
    require_own_boxes("scale_boxes", to, deltas, reference);
    record_scaled(c, to, deltas, reference, nullptr);
}

void scale_picked_boxes(Commands& c, const Boxes& to, const Tensor& sines, const Tensor& deltas,
                        const Tensor& reference, const Tensor& from, const Tensor& again) {
    constexpr const char* op = "scale_picked_boxes";
    require_picked_boxes(op, to, deltas, reference, from);
    require(again.columns == 4 && again.type == Type::f32 && again.rows == to.boxes.rows &&
                again.batch == 1,
            op, again.shape() + " for " + to.boxes.shape());
    require(sines.batch == to.boxes.batch && sines.rows == to.boxes.rows && sines.columns > 0 &&
                sines.columns % 16 == 0 && sines.type == to.copy.type,
            op, sines.shape() + " of " + to.copy.shape());
    require_wide(again, op);
    require_wide(sines, op);
    const Picked picked{from, again, sines};
    record_scaled(c, to, deltas, reference, &picked);
}

}  // namespace saccade
