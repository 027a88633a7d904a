#ifndef SACCADE_PRODUCTS_PARAMS
#define SACCADE_PRODUCTS_PARAMS
#include "shaders/common/params.h"

SACCADE_PARAMS_BEGIN

struct LinearParams {
    View x, y;
    uint bias;      // where b begins
    uint m, n, k;   // rows of x in a batch, columns of y, columns of x
    uint w_stride;  // elements from one row of W to the next
};

// y = activation(LN(x) W^T + b)
struct NormLinearParams {
    View x, y;
    uint bias;
    uint m, n, k;
    uint w_stride;
    float eps;
};

// Halves of a stream are divided by this, so that large values fit.
SACCADE_CONSTANT halves_scale = 16;

// Where products on cooperative matrices find x and the fragments of W. Two words, the low one
// first.
struct ProductAddresses {
    uint x[2], w[2];
};

struct FragmentsParams {
    uint n, k;      // of W
    uint w_stride;  // elements from one row of W to the next
};

struct Conv2dParams {
    View x, y, residual;
    uint height, width;          // of x
    uint out_height, out_width;  // of y
    uint kernel_height, kernel_width, stride, padding, dilation;
    uint channels, n;   // of x, of y
    uint w_stride;      // elements from one row of W to the next
    float gain, shift;  // of the activation's result
};
// The residual of a convolution: none, added before the activation, or added after it.
SACCADE_CONSTANT residual_none = 0;
SACCADE_CONSTANT residual_before = 1;
SACCADE_CONSTANT residual_after = 2;

// A convolution of each channel by itself.
struct DepthwiseParams {
    View x, y;
    uint height, width, out_height, out_width;
    uint stride, padding;
    uint channels;
    uint w_stride;  // elements from one tap to the next
    float gain, shift;
};

SACCADE_PARAMS_END

#endif
