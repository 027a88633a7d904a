// What kernels that make or read planes of YUV are told: see params.h.
#ifdef __cplusplus
#pragma once
#include "shaders/params.h"
namespace saccade::params {
using uint = uint32_t;
#define SACCADE_CONSTANT inline constexpr uint
#else
#define SACCADE_CONSTANT const uint
#endif

// An image to planes of luma and colour, rows of whole words. Weights have this many bits behind
// the point, in two's complement.
SACCADE_CONSTANT yuv_bits = 16;
struct YuvSum {
    uint offset;
    uint red, green, blue;
};
struct PackYuvParams {
    YuvSum y, u, v;
    uint width, height;    // of the image
    uint first_row, rows;  // of the image, that the planes hold
    uint luma_row_words, chroma_row_words;
};

#undef SACCADE_CONSTANT
#ifdef __cplusplus
}  // namespace saccade::params
#endif
