#pragma once

#include "gpu/sampling.h"

// Operations of RF-DETR and what it is made of, on boxes and on rows.

namespace saccade {

// boxes = reference moved by deltas in parts of its own size:
//   (x, y) = (dx, dy) * (w, h) + (x, y),  (w, h) = exp(dw, dh) * (w, h)
// The reference is a box of its own for each, (batch, n, 4) f32, or row from[i] of a table (1, rows,
// 4) f32; deltas are (batch, n, 4) f32, or the same for every batch.
void scale_boxes(Commands& c, const Boxes& to, const Tensor& deltas, const Tensor& reference,
                 const Tensor& from = {});

// Sines and cosines of ever longer period of each of a box's four numbers, the second of them first:
// y is (batch, n, 4 * count), boxes (batch, n, 4) f32.
void box_sines_into(Commands& c, const Tensor& y, const Tensor& boxes);

// y = activation(LN(x))
void norm_activate_into(Commands& c, const Tensor& y, const Tensor& x, const Norm& w,
                        Activation activation);

}  // namespace saccade
