#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace saccade {

// Pillow's filters under Pillow's numbers, which are what "resample" holds in a
// preprocessor_config.json. All but nearest are antialiased: when shrinking, the filter is
// stretched by the down-factor so that every source pixel is heard.
enum class Filter : uint32_t {
    nearest = 0,
    lanczos = 1,
    bilinear = 2,
    bicubic = 3,  // a = -0.5, unlike the -0.75 of OpenCV and of torch's plain interpolate
    box = 4,
    hamming = 5,
};

// Pillow and torchvision resize 8-bit pictures alike up to how finely they round the weights, which
// moves one pixel in a hundred or fewer by one level. transformers v4 resizes with the first, v5
// with the second.
enum class Rounding {
    pillow,       // 22 bits after the point
    torchvision,  // as many bits as keep the axis's largest weight in a signed 16-bit number
};

// Weights are fixed point with this many bits after the point: 32 less the 8 of a level, less 2 for
// filters that overshoot. One is 1 << weight_bits.
inline constexpr int weight_bits = 22;

// One pass of a separable resize on 8-bit levels. Output i reads count[i] source levels from
// first[i] on:
//
//   out[i] = clamp((sum_k weights[i * max_taps + k] * in[first[i] + k] + (1 << 21)) >> 22, 0, 255)
//
// with a 32-bit signed sum and an arithmetic shift. A picture takes the horizontal pass first and
// then, from its rounded 8-bit levels, the vertical one. Where count[i] is 0 the result is 0.
// torchvision's coarser weights come shifted to the same 22 bits, so one formula serves both.
struct Taps {
    uint32_t out_size = 0;         // outputs made: the crop, not the whole resized side
    uint32_t max_taps = 0;         // row length of weights, at least 1
    std::vector<uint32_t> first;   // (out_size)
    std::vector<uint32_t> count;   // (out_size)
    std::vector<int32_t> weights;  // (out_size, max_taps), zero from count[i] on
    // Weights are the bits of floats, and nothing is rounded to levels before the end.
    bool floats = false;

    float weight(size_t i) const {
        constexpr int fraction_bits = 22;
        return floats ? std::bit_cast<float>(weights[i])
                      : std::ldexp(static_cast<float>(weights[i]), -fraction_bits);
    }
};

// Taps that resize in_size levels to out_size and keep outputs crop_first .. crop_first +
// crop_count - 1. Outputs outside 0 .. out_size - 1 get no taps and so read 0: transformers' centre
// crop pads with zeros, and crop_first may be negative. Equal sizes copy, one tap of weight one.
// Only bilinear and bicubic know torchvision's rounding: the other filters are always Pillow's.
Taps make_taps(uint32_t in_size, uint32_t out_size, Filter filter, int64_t crop_first,
               uint32_t crop_count, Rounding rounding = Rounding::pillow);

// The same without a crop.
Taps make_taps(uint32_t in_size, uint32_t out_size, Filter filter,
               Rounding rounding = Rounding::pillow);

// OWLv2's way from in_size levels, of which those from `filled` on are 0, to out_size: a Gaussian
// blur of standard deviation `blur` (0: none), its border reflected, then bilinear between the two
// nearest without antialias. In floats.
Taps make_blurred_taps(uint32_t in_size, uint32_t filled, uint32_t out_size, double blur);

}  // namespace saccade
