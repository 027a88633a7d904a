#ifndef SACCADE_WORDS_PARAMS
#define SACCADE_WORDS_PARAMS
#include "shaders/common/params.h"

SACCADE_PARAMS_BEGIN

struct EmbeddingParams {
    View ids, table, positions, y;
    uint rows, columns;
    uint first_id, bound_ids, all_ids;  // the part of the table that is bound, and the whole
};

// Which of the candidates of a picture's beams are its beams from now on.
SACCADE_CONSTANT most_candidates = 512;  // of a picture
struct ChooseBeamsParams {
    View values, words, less;  // of the candidates, a batch a beam
    View before, after;        // ids of the beams, (ids, 1) in each batch
    uint beams;                // of a picture
    uint running;              // of these, those that there are so far
    uint candidates;           // of each
    uint ranked;               // of all of them together, those that count
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
    uint run;                   // of words that may not come twice; 0: any may
    uint forced;                // the only word that may come; past the columns: none
    uint use_less;
    float penalty;
};

// What an LSTM makes of its four gates.
struct LstmCellParams {
    View gates, before, c, h, y;
    uint columns;
    uint gate;  // columns from one gate to the next
};

SACCADE_PARAMS_END

#endif
