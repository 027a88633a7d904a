#pragma once

#include "gpu/core/tensor.h"
#include "gpu/recorder/commands.h"
#include "gpu/yuv.h"

// The operations on pictures as planes of luma and colour. Like those of gpu/ops.h, each is one
// name: a function, a Params struct, a shader and a test.

namespace saccade {

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

}  // namespace saccade
