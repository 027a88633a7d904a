#ifndef SACCADE_NORMS_PARAMS
#define SACCADE_NORMS_PARAMS
#include "shaders/common/params.h"

SACCADE_PARAMS_BEGIN

struct LayerNormParams {
    View x, y;
    uint rows, columns;
    float eps;
};

struct NormActivateParams {
    View x, y;
    uint columns;
    float eps, next_eps;
};

struct PostNormParams {
    View x, y, at, positions;
    uint rows, columns;
    float eps;
};

// z += LN(x), y = z
struct NormAddParams {
    View x, z, y;
    uint rows, columns;
    float eps;
};

struct GroupNormParams {
    View x, y, statistics;
    uint rows, channels, groups;
    float eps;
};

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

SACCADE_PARAMS_END

#endif
