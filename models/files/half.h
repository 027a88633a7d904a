#pragma once

#include <bit>
#include <cstdint>

namespace saccade {

// Conversions to the 16-bit floats of checkpoints, f16 and bf16, as bits. Rounding is to nearest,
// ties to even, as in numpy, PyTorch and on GPUs. The inverse for f16 is glm::unpackHalf1x16.

// glm::packHalf1x16 rounds ties away from zero: 1 + 2^-11 becomes 1 + 2^-10, not 1.
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
        // Subnormal halves: in [0.5, 1) a float's last bit is 2^-24, the unit of subnormal halves,
        // so the addition does the rounding.
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
