#pragma once

#include "gpu/core/geometry.h"
#include "gpu/core/tensor.h"
#include "gpu/ops/rows.h"
#include "gpu/recorder/commands.h"

// Boxes: how detectors refine them, and the detections that result.

namespace saccade {

// The detection of each query, by a softmax over its logits: y is (batch, queries, 7) f32,
// a row is left, top, right, bottom in pixels of the picture, score, class, query. logits are
// (batch, queries, columns), of which the first `classes` can be found; boxes (batch, queries, 4)
// are centre x, centre y, width, height in parts of the picture; all f32.
void detections_into(Commands& c, const Tensor& y, const Tensor& logits, const Tensor& boxes,
                     uint32_t classes, Size picture);

// What `select` chose among the logits of all queries (1, queries, classes), as rows of y (1, k, 7)
// f32: see detections_into. A query may be chosen several times, for different classes.
void picked_detections_into(Commands& c, const Tensor& y, const Selected& found,
                            const Tensor& boxes, uint32_t classes, Size picture);

// The same where each class has a sigmoid of its own: score = sigmoid of the largest logit. All
// columns of the logits are classes.
void matches_into(Commands& c, const Tensor& found, const Tensor& logits, const Tensor& boxes,
                  glm::vec2 picture);

// OWL-ViT's shift and scale of logits: y = (y + gauge[0]) * (elu(gauge[1]) + 1), in place, for each
// row of y; gauge is (batch, rows, 2), both f32.
void gauge_in_place(Commands& c, const Tensor& y, const Tensor& gauge);

// The n queries with the best scores, best first: list is (1, 2, n) u32, the queries and their rows
// in found (1, rows, 7) f32, which detections_into has made. No query comes twice.
void best_queries_into(Commands& c, const Tensor& list, const Tensor& found);

// boxes = sigmoid(deltas + logit(reference)), all (batch, n, 4) f32; `copy`, of the same shape, has
// them in the type that products read.
struct Boxes {
    Tensor boxes, copy;
};
void refine_boxes(Commands& c, const Boxes& to, const Tensor& deltas, const Tensor& reference);
// The same of rows from[i] of deltas (batch, rows, 4) f32 and of a table of logits (1, rows, 4)
// f32.
void refine_picked_boxes(Commands& c, const Boxes& to, const Tensor& deltas, const Tensor& logits,
                         const Tensor& from);

// boxes = reference moved by deltas in parts of its own size:
//   (x, y) = (dx, dy) * (w, h) + (x, y),  (w, h) = exp(dw, dh) * (w, h)
// Deltas and reference are (batch, n, 4) f32, one row for each box.
void scale_boxes(Commands& c, const Boxes& to, const Tensor& deltas, const Tensor& reference);
// The same of rows from[i] of deltas (batch, rows, 4) f32 and of a table of references (1, rows, 4)
// f32. Then each is moved once more, by `again` (1, n, 4) f32. `sines` (batch, n, 4 * count) are
// the sine embeddings of its four numbers, the second number first.
void scale_picked_boxes(Commands& c, const Boxes& to, const Tensor& sines, const Tensor& deltas,
                        const Tensor& reference, const Tensor& from, const Tensor& again);

// Boxes from distributions over the positions of their four edges (D-FINE): an edge moves by the
// mean of `weights` (1, 1, bins) f32, the steps that the bins stand for; `scale` steps are as long
// as a side of the reference. corners is (batch, queries, 4 * bins), the reference (batch, queries,
// 4), both f32.
struct EdgeBoxes {
    Boxes boxes;
    Tensor statistics = {};  // (batch, queries, 4 * (best + 1)) f32: an edge's best and their mean
};
void edge_boxes(Commands& c, const EdgeBoxes& to, const Tensor& corners, const Tensor& reference,
                const Tensor& weights, float scale, uint32_t best);

}  // namespace saccade
