#pragma once

#include "gpu/ops.h"

// The operations that models of words and pictures need besides those of gpu/ops.h, made alike.

namespace saccade {

// y = scale x / (|x| + eps), over each row
Tensor unit_rows(Commands& c, const Tensor& x, float eps, Type out, float scale = 1.0f);
void unit_rows_into(Commands& c, const Tensor& y, const Tensor& x, float eps, float scale = 1.0f);

// y = x / sqrt(mean(x^2) + eps) * weight, over each row
struct RmsNorm {
    Tensor weight;  // (columns) f32
    float eps = 1e-5f;
};
Tensor rms_norm(Commands& c, const Tensor& x, const RmsNorm& w, Type out);
void rms_norm_into(Commands& c, const Tensor& y, const Tensor& x, const RmsNorm& w);

// The product of RMSNorm(x), an fp32 stream: linear_into(y, rms_norm(x), w).
void norm_linear_into(Commands& c, const Tensor& y, const Tensor& x, const RmsNorm& norm,
                      const Linear& w);

// y = activation(a) * b; a b of one row meets every row of a. Without b, activation(a) alone.
Tensor multiply(Commands& c, const Tensor& a, const Tensor& b, Type out,
            Activation activation = Activation::none);
void multiply_into(Commands& c, const Tensor& y, const Tensor& a, const Tensor& b,
                   Activation activation = Activation::none);

// Rotary positions, in place. Each of `heads` groups of columns of x holds a head of `head` columns,
// and zeros to the next multiple of eight. table (rows, head) f32 has for each row of x the cosines
// of its angles and then the sines, head / 2 of each.
struct Rotation {
    Tensor table;
    uint32_t heads = 0, head = 0;
};
void rotate(Commands& c, const Tensor& x, const Rotation& by);

// What a decoder does between a norm and its attention, and between a norm and its last product. In a
// chain each is one link.
// y = RMSNorm(x) W^T + b, with the heads that y begins with turned: queries and keys.
void rotated_linear_into(Commands& c, const Tensor& y, const Tensor& x, const RmsNorm& norm,
                         const Linear& w, const Rotation& by);
// activation(RMSNorm(x) G^T) * RMSNorm(x) U^T: gate_up has the rows of G, and then those of U.
Tensor gated_linear(Commands& c, const Tensor& x, const RmsNorm& norm, const Linear& gate_up,
                    Activation activation);

// y = (y + gauge[0]) * (elu(gauge[1]) + 1), in place, for each row of y: gauge is (batch, rows, 2), both
// f32.
void gauge_in_place(Commands& c, const Tensor& y, const Tensor& gauge);

// What each query of a detector found whose classes are judged one by one: as detections_into of
// gpu/ops.h, with score = sigmoid of the largest logit. All columns of the logits are classes.
void matches_into(Commands& c, const Tensor& found, const Tensor& logits, const Tensor& boxes,
                  glm::vec2 picture);

// `preprocess` of gpu/ops.h in floating point: nothing is rounded to levels between the passes, and
// the weights of the taps are floats. Outputs whose taps have ended read 0 before scale and shift.
void resample(Commands& c, const Tensor& y, const Image& image, const Preprocess& how);

// Pillow's resize of a picture, to 8 bits, as `preprocess` of gpu/ops.h begins: the taps say the size.
void resize(Commands& c, const Image& to, const Image& from, const ResizeTaps& horizontal,
            const ResizeTaps& vertical);

// y = keep y + scale x[index]: y (1, rows, columns) f32, index (1, rows, columns) u32, x (1, 1, n) f32.
struct Selection {
    float keep = 0, scale = 1;
};
void take(Commands& c, const Tensor& y, const Tensor& x, const Tensor& index,
            const Selection& how = {});

// Additive attention (Bahdanau et al. 2014). The score of a key is e_i = w . tanh(k_i + q).
struct Additive {
    Tensor weight;  // w: (columns) f32
};
// y = gate * sum_i softmax_i(e) v_i for each query: q (batch, queries, columns) f32, k and v (batch, keys,
// their columns), gate (batch, queries, 1) f32, y (batch, queries, columns of v).
void additive_attention_into(Commands& c, const Tensor& y, const Tensor& q, const Tensor& k,
                             const Tensor& v, const Tensor& gate, const Additive& how);
// The weights that it gives to the keys, for some queries: map (batch, queries, keys) f32.
void additive_map(Commands& c, const Tensor& map, const Tensor& q, const Tensor& k,
                  const Additive& how, uint32_t first_row = 0);

// One step of an LSTM (Hochreiter and Schmidhuber 1997), of its gates i, f, g and o side by side, each
// padded to a multiple of eight columns: c = sigmoid(f) before + sigmoid(i) tanh(g), h = sigmoid(o)
// tanh(c). All are f32; y is h again as products want it.
struct LstmState {
    Tensor c, h, y;  // (batch, rows, columns)
};
void lstm_cell(Commands& c, const LstmState& to, const Tensor& gates, const Tensor& before);

}  // namespace saccade
