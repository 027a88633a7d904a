#ifndef SACCADE_ELEMENTWISE_PARAMS
#define SACCADE_ELEMENTWISE_PARAMS
#include "shaders/common/params.h"

SACCADE_PARAMS_BEGIN

struct AddParams {
    View a, b, y;
    uint rows, columns;
};

// x = gates[:n] x + gates[n:] other
struct GatedAddParams {
    View x, other, gates;
    uint columns;
    uint second;  // column of the gates that the second half begins at
};

// x[i][j] += column[i]
struct AddColumnParams {
    View x, column;
    uint columns;
};

// How the elements of `copy`'s source are stored; a checkpoint may hold any of these.
SACCADE_CONSTANT stored_f32 = 0;
SACCADE_CONSTANT stored_f16 = 1;
SACCADE_CONSTANT stored_bf16 = 2;

// y[i][j][k][l] = scale x[i][j][k][l], zero where x ends before y does.
struct CopyParams {
    uint y_offset;
    uint y_size[4], y_stride[3];  // the innermost elements of y lie side by side
    uint x_offset;
    uint x_size[4], x_stride[4];
    float scale;
};

struct MultiplyParams {
    View a, b, y;
    uint columns;
};

SACCADE_PARAMS_END

#endif
