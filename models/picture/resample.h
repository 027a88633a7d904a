#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace saccade {

// Pillow's filters with Pillow's numbers, as in "resample" of a preprocessor_config.json. All but
// nearest are antialiased: when shrinking, the filter is widened by the scale factor so that every
// source pixel contributes.
enum class Filter : uint32_t {
    nearest = 0,
    lanczos = 1,
    bilinear = 2,
    bicubic = 3,  // a = -0.5, unlike the -0.75 of OpenCV and of torch's plain interpolate
    box = 4,
    hamming = 5,
};

// Pillow and torchvision resize 8-bit pictures in the same way, but round the weights differently,
// which changes at most one pixel in a hundred by one level. transformers v4 uses Pillow, v5
// torchvision.
enum class Rounding {
    pillow,       // 22 bits after the point
    torchvision,  // as many bits as fit the axis's largest weight into a signed 16-bit number
};

// Weights are fixed-point numbers with this many fractional bits: 32 minus the 8 of a level, minus
// 2 for filters that overshoot. One is 1 << weight_bits.
inline constexpr int weight_bits = 22;

// One pass of a separable resize on 8-bit levels. Output i reads count[i] source levels from
// first[i] on:
//
//   out[i] = clamp((sum_k weights[i * max_taps + k] * in[first[i] + k] + (1 << 21)) >> 22, 0, 255)
//
// with a 32-bit signed sum and an arithmetic shift. The horizontal pass comes first, the vertical
// one reads its rounded 8-bit levels. Where count[i] is 0 the result is 0. torchvision's coarser
// weights are shifted to the same 22 bits, so one formula serves both.
struct Taps {
    uint32_t out_size = 0;         // number of outputs: the crop, not the whole resized side
    uint32_t max_taps = 0;         // row length of weights, at least 1
    std::vector<uint32_t> first;   // (out_size)
    std::vector<uint32_t> count;   // (out_size)
    std::vector<int32_t> weights;  // (out_size, max_taps), zero from count[i] on
    // Weights are the bits of floats, and nothing is rounded to levels between the passes.
    bool floats = false;

    float weight(size_t i) const {
        constexpr int fraction_bits = 22;
        return floats ? std::bit_cast<float>(weights[i])
                      : std::ldexp(static_cast<float>(weights[i]), -fraction_bits);
    }
};

// Taps that resize in_size levels to out_size and keep outputs crop_first .. crop_first +
// crop_count - 1. Outputs outside 0 .. out_size - 1 have no taps and are 0: transformers' centre
// crop pads with zeros, and crop_first may be negative. Equal sizes are copied, with one tap of
// weight one. torchvision's rounding exists for bilinear and bicubic only; other filters always use
// Pillow's.
Taps make_taps(uint32_t in_size, uint32_t out_size, Filter filter, int64_t crop_first,
               uint32_t crop_count, Rounding rounding = Rounding::pillow);

// The same without a crop.
Taps make_taps(uint32_t in_size, uint32_t out_size, Filter filter,
               Rounding rounding = Rounding::pillow);

// OWLv2's resize of in_size levels, of which those from `filled` on are 0, to out_size, in floats:
// a Gaussian blur of standard deviation `blur` (0: none) with a reflected border, then linear
// interpolation without antialiasing.
Taps make_blurred_taps(uint32_t in_size, uint32_t filled, uint32_t out_size, double blur);

}  // namespace saccade
