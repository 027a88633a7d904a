#ifndef SACCADE_DEFORMABLE_PARAMS
#define SACCADE_DEFORMABLE_PARAMS
#include "shaders/common/params.h"

SACCADE_PARAMS_BEGIN

// Deformable attention over up to eight maps that lie one after the other.
SACCADE_CONSTANT most_levels = 8;
struct DeformableParams {
    View values, offsets, weights, boxes, y;
    uint level_sizes[8];   // width | height << 16
    uint level_points[2];  // of one head, eight bits each
    uint head, columns;    // of one head of the values, and of all
    uint points;           // of one head, on all levels
    float scale;           // of offsets, in parts of a query's box
};

// Where the points of deformable attention lie, and what they weigh.
struct SamplingPointsParams {
    View offsets, weights, boxes, places, shares;
    uint level_points[2];
    uint points, heads, levels;
    float scale;
};

// Maps of where the points of some queries and heads lie.
struct SplatParams {
    View places, shares, maps;
    uint level_sizes[8];   // width | height << 16
    uint level_points[2];  // of one head, eight bits each
    uint points, levels;
    uint width, height;  // of the maps
    uint first_row, rows, first_head;
};

SACCADE_PARAMS_END

#endif
