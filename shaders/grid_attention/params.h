#ifndef SACCADE_GRID_ATTENTION_PARAMS
#define SACCADE_GRID_ATTENTION_PARAMS
#include "shaders/common/params.h"

SACCADE_PARAMS_BEGIN

// Windows on a map of cells: see windows.glsl.
struct WindowParams {
    uint width, height;  // of the map
    uint across, down;   // windows
    uint shift;
    uint bias_stride;  // elements from the bias of one head to that of the next
    float mask;        // added to scores of cells that may not attend to each other
};
struct WindowAttentionParams {
    View q, k, v, y;
    WindowParams windows;
    float scale;
};
struct WindowMapParams {
    View q, k, map;
    WindowParams windows;
    float scale;
    uint first_head, window, cell;  // windows of all batches are counted together
};

// Cells of a map pooled and normalised, head by head.
struct PoolHeadsParams {
    View x, y;
    uint first;          // rows before the map
    uint width, height;  // of x
    uint out_width;
    uint stride, padding;
    uint size;      // columns of a head that are in use
    uint w_stride;  // elements from one row of w to the next
    float eps;
};

// Queries on one map and keys on another, each after `first` rows that lie on no map.
struct GridParams {
    uint first;
    uint key_height, key_width;
};
struct RelativeScoresParams {
    View q, y;
    uint first, width;  // rows before the map of queries, and its width
    uint key_height, key_width;
    uint heads;
    uint table_stride;  // elements from one row of a table to the next
};
struct RelativeAttentionParams {
    View q, k, v, scores, y;
    GridParams grid;
    uint queries, keys;
    float scale;
};
struct RelativeMapParams {
    View q, k, scores, map;
    GridParams grid;
    uint first_row, rows, keys, first_head;
    float scale;
};

SACCADE_PARAMS_END

#endif
