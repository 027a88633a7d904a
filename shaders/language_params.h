// What the kernels of gpu/language.h are told: see params.h.
#ifdef __cplusplus
#pragma once
#include "shaders/params.h"
namespace saccade::params {
using uint = uint32_t;
#endif

struct UnitRowsParams {
    View x, y;
    uint columns;
    float eps, scale;
};

struct RmsNormParams {
    View x, y;
    uint columns;
    float eps;
};

struct MultiplyParams {
    View a, b, y;
    uint columns;
};

struct RotateParams {
    View x, table;
    uint heads, head, stride;  // columns of a head, and from one head to the next
};

// y = (y + gauge[0]) * (elu(gauge[1]) + 1), for each row of y
struct GaugeParams {
    View y, gauge;
    uint columns;
};

// y = keep y + scale x[index], x a row
struct SelectParams {
    View x, index, y;
    uint n, columns;  // of x, and of y
    float keep, scale;
};

// The second pass of a resize from image to image: see preprocess.horizontal.comp for the first.
struct ResizeParams {
    View x;
    uint width, height;
    uint max_taps;
};

struct MatchesParams {
    View logits, boxes, y;
    uint queries, classes;
    float width, height;
};

struct ResampleHorizontalParams {
    View y;
    uint width, height;  // of y
    uint max_taps;
};
struct ResampleVerticalParams {
    View x, y;
    uint width, height;
    uint max_taps;
    uint patch_width, patch_height;
    float scale[3], shift[3];
};

#ifdef __cplusplus
}  // namespace saccade::params
#endif
