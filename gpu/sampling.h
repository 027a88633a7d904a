#pragma once

#include <vector>

#include "gpu/ops.h"

// The operations of detectors that look at few points of many maps: pooling and enlarging the maps,
// choosing queries among thousands of cells, and sampling. Like those of gpu/ops.h, each is one
// name: a function, a Params struct, a shader and a test.

namespace saccade {

// y = activation(conv(x) + b) gain + shift, each channel by itself.
struct DepthwiseConv2d {
    Tensor weight;  // (kernel * kernel, channels) f32
    Tensor bias;    // (channels) f32
    uint32_t kernel = 3, stride = 1, padding = 1;
    float gain = 1, shift = 0;

    Size out_size(Size in_size) const;
};
void depthwise_into(Commands& c, const Tensor& y, const Tensor& x, Size size,
                    const DepthwiseConv2d& w, Activation activation = Activation::none);

// The mean of each 2 x 2 pixels; at an odd end, of those that there are.
Tensor avg_pool(Commands& c, const Tensor& x, Size size);
constexpr Size halved(Size size) { return {(size.x + 1) / 2, (size.y + 1) / 2}; }

// Every pixel of x, of a picture of this size, as factor x factor pixels of y.
void upsample_into(Commands& c, const Tensor& y, const Tensor& x, Size size, uint32_t factor);

// The largest of each row of x (batch, rows, columns) f32: (batch, 1, rows) f32.
Tensor row_max(Commands& c, const Tensor& x);

// The k largest elements of each batch of x f32, the largest first, equal ones by their place.
struct Selected {
    Tensor values;  // (batch, 1, k) f32
    Tensor picks;   // (batch, 1, k) u32: row * columns + column
};
Selected select(Commands& c, const Tensor& x, uint32_t k);

// y[i] = x[from[i]]: rows of each batch, chosen by from (batch, 1, n) u32.
Tensor gather_rows(Commands& c, const Tensor& x, const Tensor& from, Type out);

// y[rows[i]] = value in every batch. rows (1, 1, n) u32, value (1, 1, columns) f32.
void set_rows(Commands& c, const Tensor& y, const Tensor& rows, const Tensor& value);

// boxes = sigmoid(deltas + logit(reference)), all (batch, n, 4) f32; `copy`, of the same shape, is what
// products read of them.
struct Boxes {
    Tensor boxes, copy;
};
void refine_boxes(Commands& c, const Boxes& to, const Tensor& deltas, const Tensor& reference);
// The same of rows from[i] of deltas (batch, rows, 4) f32 and of a table of logits (1, rows, 4) f32.
void refine_picked_boxes(Commands& c, const Boxes& to, const Tensor& deltas, const Tensor& logits,
                         const Tensor& from);

// boxes = reference moved by deltas in parts of its own size:
//   (x, y) = (dx, dy) * (w, h) + (x, y),  (w, h) = exp(dw, dh) * (w, h)
// Deltas and reference are (batch, n, 4) f32: some for each box.
void scale_boxes(Commands& c, const Boxes& to, const Tensor& deltas, const Tensor& reference);
// The same of rows from[i] of deltas (batch, rows, 4) f32 and of a table of references (1, rows, 4)
// f32. Then each is moved once more, by `again` (1, n, 4) f32. Sines and cosines of ever longer
// period of each of its four numbers, the second of them first, are `sines` (batch, n, 4 * count).
void scale_picked_boxes(Commands& c, const Boxes& to, const Tensor& sines, const Tensor& deltas,
                        const Tensor& reference, const Tensor& from, const Tensor& again);

// What the points of deformable attention depend on.
struct Sampling {
    std::vector<uint32_t> points;  // of one head, on each level
    float scale = 0.5f;            // of offsets, in parts of the query's box
    bool discrete = false;         // takes the nearest cell, and does not interpolate

    uint32_t all_points() const;
};
// What a layer asks for: queries ask around their boxes.
struct SamplingQueries {
    Tensor offsets;  // (batch, queries, heads * points * 2) f32
    Tensor weights;  // (batch, queries, heads * points) f32, before their softmax
    Tensor boxes;    // (batch, queries, 4) f32: centre and size, in parts of the picture
};
// Multi-scale deformable attention over maps of these sizes, whose cells lie one after the other in
// values (batch, cells, heads * head), where a head is a multiple of four columns:
// (batch, queries, heads * head), stored as the values are.
Tensor deformable(Commands& c, const Tensor& values, const std::vector<Size>& levels,
                  const SamplingQueries& queries, uint32_t heads, const Sampling& sampling);
void deformable_into(Commands& c, const Tensor& y, const Tensor& values,
                     const std::vector<Size>& levels, const SamplingQueries& queries,
                     uint32_t heads, const Sampling& sampling);
// Where its points lie and what they weigh, for those who look.
struct SamplingPoints {
    Tensor places;  // (batch, queries, heads * points * 2) f32: x, y in parts of the picture
    Tensor shares;  // (batch, queries, heads * points) f32: of each head they add up to 1
};
SamplingPoints sampling_points(Commands& c, const SamplingQueries& queries, uint32_t heads,
                               const Sampling& sampling);

// The same as maps of the picture, of this size, for some queries and heads: maps is (1, heads *
// rows, height * width) f32, as attention_map's. `points` are how many a head has on each level.
void splat(Commands& c, const Tensor& maps, const SamplingPoints& from,
           const std::vector<Size>& levels, const std::vector<uint32_t>& points, Size map,
           const MapRange& range);

// Boxes from distributions over where their four edges lie, `weights` (1, 1, bins) f32 being the
// steps that bins stand for, `scale` of which are as long as a side of the reference. corners is
// (batch, queries, 4 * bins), the reference (batch, queries, 4), both f32.
struct EdgeBoxes {
    Boxes boxes;
    Tensor statistics = {};  // (batch, queries, 4 * (best + 1)) f32: an edge's best and their mean
};
void edge_boxes(Commands& c, const EdgeBoxes& to, const Tensor& corners, const Tensor& reference,
                const Tensor& weights, float scale, uint32_t best);

// x = g x + h other of an fp32 stream, in place; gates (batch, rows, 2 * padded columns) f32 are g
// and h side by side.
void gated_add(Commands& c, const Tensor& x, const Tensor& other, const Tensor& gates);

// x[i][j] += column[i], in place: x (batch, rows, columns), column (batch, rows, 1) f32.
void add_column(Commands& c, const Tensor& x, const Tensor& column);

// What `select` found among the logits of all queries (1, queries, classes), as rows of y (1, k, 7)
// f32: see detections_into. A query may be found several times, as different things.
void picked_detections_into(Commands& c, const Tensor& y, const Selected& found,
                            const Tensor& boxes, uint32_t classes, Size picture);

}  // namespace saccade
