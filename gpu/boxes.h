#pragma once

#include "gpu/sampling.h"

// Operations of RF-DETR and what it is made of, on boxes and on rows.

namespace saccade {

// boxes = reference moved by deltas in parts of its own size:
//   (x, y) = (dx, dy) * (w, h) + (x, y),  (w, h) = exp(dw, dh) * (w, h)
// Deltas and reference are (batch, n, 4) f32: some for each box.
void scale_boxes(Commands& c, const Boxes& to, const Tensor& deltas, const Tensor& reference);
// The same of rows from[i] of deltas (batch, rows, 4) f32 and of a table of references (1, rows, 4) f32.
// Then each is moved once more, by `again` (1, n, 4) f32.
void scale_picked_boxes(Commands& c, const Boxes& to, const Tensor& deltas, const Tensor& reference,
                        const Tensor& from, const Tensor& again);

// Sines and cosines of ever longer period of each of a box's four numbers, the second of them first:
// y is (batch, n, 4 * count), boxes (batch, n, 4) f32.
void box_sines_into(Commands& c, const Tensor& y, const Tensor& boxes);

// y = activation(LN(x))
void norm_activate_into(Commands& c, const Tensor& y, const Tensor& x, const Norm& w,
                        Activation activation);

}  // namespace saccade
