#pragma once

#include "gpu/core/geometry.h"
#include "gpu/core/tensor.h"
#include "gpu/recorder/commands.h"
#include "gpu/yuv.h"

// Pictures on their way in and out: packed pixels and planes of YUV, resizing, preprocessing.

namespace saccade {

// Packed 8-bit RGB or BGR pixels in a buffer, as cameras and decoders give them, to some rows of an
// image.
struct Pixels {
    Tensor bytes;  // u32 words
    uint32_t row_bytes = 0;
    uint32_t first_row = 0, rows = 0;
    bool bgr = false;
};
void unpack(Commands& c, const Image& image, const Pixels& pixels);
// The planes of a video's picture to the whole image, turned clockwise by some right angles. The
// colours are FFmpeg's to within one level; see shaders/pictures/unpack_yuv.comp.
struct YuvPlanes {
    Tensor y, u, v;                                // u32 words
    uint32_t width = 0, height = 0;                // of y
    uint32_t row_bytes = 0, chroma_row_bytes = 0;  // multiples of 4
    YuvFormat format;
    uint32_t quarter_turns = 0;
};
void unpack_yuv(Commands& c, const Image& image, const YuvPlanes& planes);
// The inverse of unpack: some rows of an image to packed pixels, whose rows are whole words long.
void pack(Commands& c, const Pixels& pixels, const Image& image);

// Some rows of an image as planes of luma and of two differences of colour: what video encoders
// take. The range is limited. Rows are whole words long.
struct YuvRows {
    Tensor luma, blue, red;  // u32 words
    uint32_t luma_row_bytes = 0, chroma_row_bytes = 0;
    uint32_t first_row = 0, rows = 0;  // of the image; even where planes of colour are halved
    bool halved = true;                // 4:2:0, one colour for 2 x 2 pixels; else 4:4:4
    YuvMatrix matrix = YuvMatrix::bt601;
};
void pack_yuv(Commands& c, const YuvRows& planes, const Image& image);

// One direction of a separable resize: output i is the sum of `count[i]` source samples from
// `first[i]` on, in fixed point with 22 bits, as Pillow does it.
struct ResizeTaps {
    Tensor windows;  // (size) pairs first, count: u32
    Tensor weights;  // (size, max_taps) u32: two's complement, or floats where nothing is rounded
    uint32_t size = 0, max_taps = 0;
};
// The preprocessor of a model: resize, rescale, normalise, and cut into patches (im2col).
struct Preprocess {
    ResizeTaps horizontal, vertical;
    float scale[3] = {1, 1, 1}, shift[3] = {0, 0, 0};  // value = level * scale + shift
    uint32_t patch_width = 1, patch_height = 1;
    bool exact = false;  // nothing is rounded to 8 bits on the way, and weights are floats
    Size filled{UINT32_MAX, UINT32_MAX};  // beyond it, values are 0, whatever the taps say
};
// pixel_values, cut into patches: row (i, j) of y is the patch at (i, j), its columns are
// (channel, row, column). A patch of 1 x 1 makes a channels-last picture.
void preprocess(Commands& c, const Tensor& y, const Image& image, const Preprocess& how);

// y[b] = x with the patches of some cells replaced by those of `instead`: of the cells where
// mask[b] is not 0. x and instead are (1, patches, columns), y is (batch, patches, columns), mask
// (batch, 1, cells) f32. A cell is a square of patches; the last ones of a row or column may be cut
// off.
struct PatchCells {
    uint32_t across = 1;  // patches in a row of the picture
    uint32_t side = 1;    // of a cell, in patches

    Size grid(uint32_t patches) const {
        return {(across + side - 1) / side, (patches / across + side - 1) / side};
    }
};
void mask_cells(Commands& c, const Tensor& y, const Tensor& x, const Tensor& instead,
                const Tensor& mask, const PatchCells& cells);

// Pillow's resize of a picture, to 8 bits, as `preprocess` begins: the taps say the size.
void resize(Commands& c, const Image& to, const Image& from, const ResizeTaps& horizontal,
            const ResizeTaps& vertical);

// Where a picture lies on a screen.
struct Placement {
    int left = 0, top = 0;
    uint32_t width = 0, height = 0;
    bool operator==(const Placement&) const = default;
};
// As large as fits onto the screen, centred, with its proportions kept.
Placement fitted(Size picture, Size screen);
// The picture in its place, bilinear where it is enlarged and averaged where it is made smaller,
// with black around it.
void letterbox(Commands& c, const Image& screen, const Image& picture, const Placement& place);

}  // namespace saccade
