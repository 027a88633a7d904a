#pragma once

#include <bit>
#include <cstdint>

namespace saccade {

// The two 16-bit floats that checkpoints hold, as bits. Rounding is to nearest, ties to even, as
// numpy, PyTorch and the GPU do it. The way back from a half is glm::unpackHalf1x16.

// glm::packHalf1x16 does not serve here: it rounds a tie away from zero (1 + 2^-11 becomes 1 +
// 2^-10, not 1).
constexpr uint16_t half_from_float(float value) {
    uint32_t bits = std::bit_cast<uint32_t>(value);
    uint32_t sign = (bits >> 16) & 0x8000;
    uint32_t size = bits & 0x7FFFFFFF;
    uint32_t half;
    if (size > 0x7F800000) {  // NaN stays NaN
        half = 0x7E00;
    } else if (size >= 0x47800000) {  // 65536 and above
        half = 0x7C00;
    } else if (size < 0x38800000) {
        // Below half's normal range: in [0.5, 1) a float's last bit is worth 2^-24, which is what
        // a subnormal half counts in, so the addition does the rounding.
        half = std::bit_cast<uint32_t>(std::bit_cast<float>(size) + 0.5f) - 0x3F000000;
    } else {
        half = (size - 0x38000000 + 0xFFF + ((size >> 13) & 1)) >> 13;
    }
    return static_cast<uint16_t>(sign | half);
}

constexpr uint16_t bfloat_from_float(float value) {
    uint32_t bits = std::bit_cast<uint32_t>(value);
    if ((bits & 0x7FFFFFFF) > 0x7F800000) return static_cast<uint16_t>((bits >> 16) | 0x40);
    return static_cast<uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

constexpr float float_from_bfloat(uint16_t bfloat) {
    return std::bit_cast<float>(static_cast<uint32_t>(bfloat) << 16);
}

}  // namespace saccade
