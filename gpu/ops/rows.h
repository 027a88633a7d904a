#pragma once

#include "gpu/core/tensor.h"
#include "gpu/recorder/commands.h"

// Rows chosen, reduced and ranked.

namespace saccade {

// y[i] = x[from[i]]: batches of x, chosen by from (1, 1, batches of y) u32.
void gather(Commands& c, const Tensor& y, const Tensor& x, const Tensor& from);

// y[i] = x[from[i]]: rows of each batch, chosen by from (batch, 1, n) u32.
Tensor gather_rows(Commands& c, const Tensor& x, const Tensor& from, Type out);

// y[rows[i]] = value in every batch. rows (1, 1, n) u32, value (1, 1, columns) f32.
void set_rows(Commands& c, const Tensor& y, const Tensor& rows, const Tensor& value);

// y = keep y + scale x[index]: y (1, rows, columns) f32, index (1, rows, columns) u32, x (1, 1, n)
// f32.
struct Selection {
    float keep = 0, scale = 1;
};
void take(Commands& c, const Tensor& y, const Tensor& x, const Tensor& index,
          const Selection& how = {});

// The mean of x's rows: y is (batch, 1, columns).
void mean_rows_into(Commands& c, const Tensor& y, const Tensor& x);

// y = keep y + scale sum over heads h and rows r of weights[first_row + r] map[h * rows + r]
// y and weights are (1, 1, columns) and (1, 1, n) f32; map as attention_map makes it, batch 1.
struct RowSum {
    uint32_t heads = 1, first_row = 0;
    float keep = 0, scale = 1;
};
void row_sum(Commands& c, const Tensor& y, const Tensor& weights, const Tensor& map,
             const RowSum& sum);

// The maximum of each row of x (batch, rows, columns) f32: (batch, 1, rows) f32.
Tensor row_max(Commands& c, const Tensor& x);

// The softmax of each row, in f32.
Tensor softmax(Commands& c, const Tensor& x);

// The k largest of each row, largest first, equal ones by column: values f32, columns u32.
struct Top {
    Tensor values, columns;  // (batch, rows, k)
};
Top topk(Commands& c, const Tensor& x, uint32_t k);
void topk_into(Commands& c, const Top& top, const Tensor& x);

// The k largest elements of each batch of x f32, the largest first, equal ones by their place.
struct Selected {
    Tensor values;  // (batch, 1, k) f32
    Tensor picks;   // (batch, 1, k) u32: row * columns + column
};
Selected select(Commands& c, const Tensor& x, uint32_t k);

}  // namespace saccade
