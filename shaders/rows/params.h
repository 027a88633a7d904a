#ifndef SACCADE_ROWS_PARAMS
#define SACCADE_ROWS_PARAMS
#include "shaders/common/params.h"

SACCADE_PARAMS_BEGIN

// y[j] = keep y[j] + scale sum_h sum_r weights[first_row + r] map[h * rows + r][j]
struct RowSumParams {
    View map, weights, y;
    uint heads, rows, columns, first_row;
    float keep, scale;
};

// y = the mean of the rows of x
struct MeanRowsParams {
    View x, y;
    uint rows, columns;
};

struct SoftmaxParams {
    View x, y;
    uint rows, columns;
};

struct TopkParams {
    View x, values, columns_found, names;
    uint rows, columns, k;
};

struct GatherParams {
    View x, y;
    uint from;  // where the numbers of batches begin
    uint batches, columns;
};

struct RowMaxParams {
    View x, y;
    uint rows, columns;
};

// The k best of all elements of a batch.
SACCADE_CONSTANT select_counters = 4;  // threads that count for one element, where there are few
struct SelectParams {
    View x, values, picks;
    uint rows, columns, k;
};

// y[i] = x[from[i]], rows of the same batch.
struct GatherRowsParams {
    View x, from, y;
    uint rows, columns;  // of x
};

// y[rows[i]] = value
struct SetRowsParams {
    View y;
    uint rows, value;  // where the list and the value begin
    uint columns;
};

// y = keep y + scale x[index], x a row
struct TakeParams {
    View x, index, y;
    uint n, columns;  // of x, and of y
    float keep, scale;
};

SACCADE_PARAMS_END

#endif
