#pragma once

#include <cstdint>

// Colours as videos store them: luma Y and two chroma differences, U (blue) and V (red). The
// coefficients of both conversions, YUV to RGB and RGB to YUV, come from here.

namespace saccade {

// The weights of red, green and blue in Y = red R + green G + blue B (ITU-R BT.601, BT.709 and
// BT.2020 with non-constant luminance).
enum class YuvMatrix : uint32_t { bt601, bt709, bt2020 };
struct LumaWeights {
    double red, blue;
    constexpr double green() const { return 1 - red - blue; }
};
constexpr LumaWeights luma_weights(YuvMatrix matrix) {
    switch (matrix) {
        case YuvMatrix::bt709:
            return {0.2126, 0.0722};
        case YuvMatrix::bt2020:
            return {0.2627, 0.0593};
        case YuvMatrix::bt601:
            break;
    }
    return {0.299, 0.114};
}

// The levels that stand for the colours: Y from 0 to 1 is stored as black + luma Y, U and V from
// -1/2 to 1/2 as grey + chroma U and grey + chroma V. The limited range leaves room at both ends.
// In the full range of more than 8 bits, white is 255 with zeros appended, as FFmpeg has it.
struct YuvLevels {
    double black, luma;
    double grey, chroma;
};
constexpr YuvLevels yuv_levels(bool full_range, uint32_t bits = 8) {
    const double unit = static_cast<double>(1u << (bits - 8));
    if (full_range) return {0, 255 * unit, 128 * unit, 255 * unit};
    return {16 * unit, 219 * unit, 128 * unit, 224 * unit};
}

// How a picture's Y, U and V are stored.
struct YuvFormat {
    YuvMatrix matrix = YuvMatrix::bt601;
    bool full_range = false;
    uint32_t bits = 8;  // of a sample: 8, or up to 16, which then has two bytes
    // Two pixels that are neighbours in a row, or in a column, share one U and one V.
    bool half_width = true, half_height = true;
    // Chroma siting: shared U and V were sampled at the first pixel, or between both.
    bool chroma_left = true, chroma_top = false;

    bool operator==(const YuvFormat&) const = default;
};

}  // namespace saccade
