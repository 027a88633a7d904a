#pragma once

#include "gpu/core/tensor.h"
#include "gpu/ops/rows.h"
#include "gpu/recorder/commands.h"
#include "shaders/words/params.h"

// Text: embeddings, and the choice of the next word.

namespace saccade {

// Rows of `table` (ids, columns), chosen by ids (batch, 1, n) u32, plus `positions` (n, columns)
// f32: (batch, n, columns) f32.
Tensor embedding(Commands& c, const Tensor& ids, const Tensor& table, const Tensor& positions);

// One step of an LSTM (Hochreiter and Schmidhuber 1997), of its gates i, f, g and o side by side,
// each padded to a multiple of eight columns: c = sigmoid(f) before + sigmoid(i) tanh(g), h =
// sigmoid(o) tanh(c). All are f32; y is h again as products want it.
struct LstmState {
    Tensor c, h, y;  // (batch, rows, columns)
};
void lstm_cell(Commands& c, const LstmState& to, const Tensor& gates, const Tensor& before);

// Greedy decoding: the argmax of each row, the first of equal ones, its log-softmax, and the
// log-sum-exp of the row. x is (batch, 1, columns) f32, best (batch, 1, 1) u32: the argmax; about
// (batch, 3, 1) f32: log-softmax, log-sum-exp, and the argmax once more, so that one readback has
// all three.
void pick(Commands& c, const Tensor& best, const Tensor& about, const Tensor& x);

// Logits processors: they exclude words or lower their scores. scores are (batch, 1, words) f32,
// changed in place; ids (batch, n, 1) u32 are the words so far.
struct Restraint {
    float penalty = 1.0f;          // repetition_penalty
    uint32_t run = 0;              // no_repeat_ngram_size; 0: words may repeat
    Tensor banned = {};            // (1, 1, n) u32: words that may not come, or none
    uint32_t forced = UINT32_MAX;  // the only word that may come
    Tensor less = {};              // (batch, 1, 1) f32: subtracted from a score before the penalty
};
void restrain(Commands& c, const Tensor& scores, const Tensor& ids, const Restraint& restraint);

// A step of beam search for several pictures: it ranks the candidates of a picture's beams, and the
// best become its beams. The beams of a picture lie one after the other, `all` of them together.
// The device must have fp64: Features::float64.
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
    bool first = false;  // a picture has only its first beam so far, with a sum of zero
};
void choose_beams(Commands& c, const BeamStep& step);
constexpr uint32_t most_beam_candidates = params::most_candidates;  // of a picture

}  // namespace saccade
