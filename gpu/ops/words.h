#pragma once

#include "gpu/core/tensor.h"
#include "gpu/ops/rows.h"
#include "gpu/recorder/commands.h"
#include "shaders/words/params.h"

// Words: embeddings, and the choice of the next one.

namespace saccade {

// Rows of `table` (ids, columns), chosen by ids (batch, 1, n) u32, plus `positions` (n, columns)
// f32: (batch, n, columns) f32.
Tensor embedding(Commands& c, const Tensor& ids, const Tensor& table, const Tensor& positions);

// One step of an LSTM (Hochreiter and Schmidhuber 1997), of its gates i, f, g and o side by side, each
// padded to a multiple of eight columns: c = sigmoid(f) before + sigmoid(i) tanh(g), h = sigmoid(o)
// tanh(c). All are f32; y is h again as products want it.
struct LstmState {
    Tensor c, h, y;  // (batch, rows, columns)
};
void lstm_cell(Commands& c, const LstmState& to, const Tensor& gates, const Tensor& before);

// The column of each row's largest, the first of equal ones, and two logarithms: of its softmax,
// and of the sum of all exponentials. x is (batch, 1, columns) f32, best (batch, 1, 1) u32, about
// (batch, 3, 1) f32: the logarithms and, for who reads nothing else, the column again.
void pick(Commands& c, const Tensor& best, const Tensor& about, const Tensor& x);

// What may not be said next. scores are (batch, 1, words) f32, changed in place; ids (batch,
// n, 1) u32 is what has been said.
struct Restraint {
    float penalty = 1.0f;          // of words that have been said
    uint32_t run = 0;              // no sequence of this many words occurs twice; 0: any may
    Tensor banned = {};            // (1, 1, n) u32: words that may not come, or none
    uint32_t forced = UINT32_MAX;  // the only word that may come
    Tensor less = {};              // (batch, 1, 1) f32: taken off a score before it is weighed
};
void restrain(Commands& c, const Tensor& scores, const Tensor& ids, const Restraint& restraint);

// A step of beam search, for each of several pictures: which candidates of its beams go on, as its beams
// from now on. Each picture's beams lie one after the other, `all` of them together. Only of devices
// whose kernels have fp64: Features::float64.
struct BeamStep {
    Top candidates;        // (all, 1, k): the best next ids of each beam, and their scores
    Tensor less;           // (all, 1, 1) f32: what makes log-probabilities of these
    Tensor stops;          // (1, 1, n) u32: ids that end a sentence, or none
    Tensor before, after;  // (all, said or more, 1) u32: the ids of each beam, and with one more
    Tensor parents;        // (1, 1, all) u32: the beam that each continues
    Tensor sums;           // (1, 1, 2 * all) u32: fp64 sums of log-probabilities, changed in place
    uint32_t beams = 1;    // of a picture
    uint32_t ranked = 1;   // as many of a picture's best candidates count
    uint32_t said = 1;     // ids so far
    uint32_t vocabulary = 0;
    bool first = false;  // only each picture's first beam is there, and its sum is zero
};
void choose_beams(Commands& c, const BeamStep& step);
constexpr uint32_t most_beam_candidates = params::most_candidates;  // of a picture

}  // namespace saccade
