#ifndef SACCADE_WORDS_PARAMS
#define SACCADE_WORDS_PARAMS
#include "shaders/common/params.h"

SACCADE_PARAMS_BEGIN

struct EmbeddingParams {
    View ids, table, positions, y;
    uint rows, columns;
    uint first_id, bound_ids, all_ids;  // the part of the table that is bound, and the whole
};

// The choice of a picture's next beams among the candidates of its beams.
SACCADE_CONSTANT most_candidates = 512;  // of a picture
struct ChooseBeamsParams {
    View values, words, less;  // of the candidates, a batch a beam
    View before, after;        // ids of the beams, (ids, 1) in each batch
    uint beams;                // of a picture
    uint running;              // of these, those that exist so far
    uint candidates;           // of each
    uint ranked;               // how many of the best candidates count
    uint said;                 // ids so far
    uint first;                // 1: nothing has been chosen before
    uint vocabulary;
    uint stops;  // ids that end a sentence
};

// The best of each row: first of slices of it, then of the slices.
struct PickPartParams {
    View x, parts;
    uint columns;
};
struct PickMergeParams {
    View parts, columns, about;
    uint slices;
};

struct RestrainParams {
    View scores, ids, less;
    uint columns, said;         // words to choose from, and ids so far
    uint banned, banned_count;  // where the banned ids begin, and how many there are
    uint run;                   // words of an n-gram that may not repeat; 0: any may
    uint forced;                // the only word that is allowed; past the columns: no such word
    uint use_less;
    float penalty;
};

// The state of an LSTM from its four gates.
struct LstmCellParams {
    View gates, before, c, h, y;
    uint columns;
    uint gate;  // columns from one gate to the next
};

SACCADE_PARAMS_END

#endif
