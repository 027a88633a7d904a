#ifndef SACCADE_PICTURES_PARAMS
#define SACCADE_PICTURES_PARAMS
#include "shaders/common/params.h"

SACCADE_PARAMS_BEGIN

// Packed 8-bit pixels to an image.
struct UnpackParams {
    uint width;
    uint first_row, rows;  // of the image, that the bytes hold
    uint row_bytes;
    uint bgr;  // 1: blue comes first
};

// Planes of Y, U and V to an image.
struct UnpackYuvParams {
    uint width, height;                // of the plane Y
    uint chroma_width, chroma_height;  // of the planes U and V
    uint row_words, chroma_row_words;
    uint quarter_turns;  // by which the image is turned clockwise
    float black, grey;   // levels that stand for 0
    float luma;          // what one level adds to each of red, green and blue
    float red_v, green_u, green_v, blue_u;
    float most_chroma;  // FFmpeg's filter clamps levels to this
};

// An image to packed 8-bit pixels, rows of whole words.
struct PackParams {
    uint width;
    uint first_row, rows;  // of the image, that the bytes hold
    uint row_words;
    uint bgr;  // 1: blue comes first
};

// The two passes of a separable resize with Pillow's fixed-point weights of this many bits.
SACCADE_CONSTANT tap_bits = 22;
struct PreprocessHorizontalParams {
    View y;              // (height, width) RGBA pixels in words
    uint width, height;  // of the result of this pass
    uint max_taps;
};
struct PreprocessVerticalParams {
    View x, y;
    uint width, height;              // of pixel_values
    uint patch_width, patch_height;  // y has a row for each patch
    uint max_taps;
    uint filled_width, filled_height;  // what lies beyond these is 0
    float scale[3], shift[3];          // value = level * scale + shift
};

// Patches of a picture with cells of it replaced.
struct MaskCellsParams {
    View x, instead, mask, y;
    uint columns;
    uint first_row, rows;     // of the patches
    uint across;              // patches in a row of the picture
    uint side, cells_across;  // patches along a cell, cells in a row of the picture
};

// A picture fitted into a screen.
struct LetterboxParams {
    uint width, height;  // of the screen
    uint picture_width, picture_height;
    int left, top;  // where the picture lies on the screen
    uint placed_width, placed_height;
    float step_x, step_y;  // picture pixels to a screen pixel
};

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

// The second pass of a resize from image to image: see preprocess.horizontal.comp for the first.
struct ResizeParams {
    View x;
    uint width, height;
    uint max_taps;
};

SACCADE_PARAMS_END

#endif
