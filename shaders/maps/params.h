#ifndef SACCADE_MAPS_PARAMS
#define SACCADE_MAPS_PARAMS
#include "shaders/common/params.h"

SACCADE_PARAMS_BEGIN

struct MaxPoolParams {
    View x, y;
    uint height, width, out_height, out_width;
    uint kernel, stride, padding;
    uint zeros_after;  // columns and rows of zeros that follow the picture
    uint channels;
};

struct MergePatchesParams {
    View x, y;
    uint width, height;  // of x
    uint out_width;
    uint columns;
};

// The mean of windows of 2 x 2 pixels, of what lies in the picture.
struct AvgPoolParams {
    View x, y;
    uint height, width, out_height, out_width;
    uint channels;
};

// y[oy][ox] = x[oy / factor][ox / factor]
struct UpsampleParams {
    View x, y;
    uint width, out_width;
    uint factor;
    uint channels;
};

struct AddEnlargedParams {
    View x, small, y;
    uint width, height, small_width, small_height;
    uint channels;
};

// x is (tokens, columns), of which those from `first` on are the cells of a map, row after row.
struct CosinesParams {
    View x, y;
    uint row;  // of x, which the others are compared with
    uint first, columns;
    uint width;  // of the map
};

struct PrincipalParams {
    View x, mean, basis, maps;
    uint first, columns;
    uint rows, width;  // of a map
};
struct PrincipalUnitParams {
    View turned, basis;
    uint columns;
};

struct QuantilesParams {
    View maps, ranges;
    uint rows, columns;  // of a map
    float part;          // share of the cells below the range, and above it
    float keep;          // share of the old range in the new one
};

struct FitRangeParams {
    View maps, ranges;
    uint rows, columns;  // of a map
    float factor;        // values are clamped to this times the range's upper end
};

SACCADE_PARAMS_END

#endif
