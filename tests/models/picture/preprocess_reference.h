#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/picture/preprocessor.h"

// A PreprocessPlan in plain loops: the reference for the device.
namespace saccade::reference {

// A fingerprint for expectations too long to print.
inline uint64_t fnv1a(const std::vector<uint8_t>& bytes) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (uint8_t byte : bytes) hash = (hash ^ byte) * 0x100000001b3u;
    return hash;
}

// One output of a pass along an axis whose levels lie `stride` apart.
inline uint8_t apply_taps(const Taps& taps, uint32_t output, const uint8_t* in, size_t stride) {
    int32_t sum = 1 << (weight_bits - 1);
    for (uint32_t k = 0; k < taps.count[output]; ++k)
        sum += taps.weights[size_t{output} * taps.max_taps + k] *
               in[(size_t{taps.first[output]} + k) * stride];
    return static_cast<uint8_t>(std::clamp(sum >> weight_bits, 0, 255));
}

// (height_in, width_in, 3) -> (vertical.out_size, horizontal.out_size, 3)
inline std::vector<uint8_t> resample(const Taps& horizontal, const Taps& vertical,
                                     const std::vector<uint8_t>& rgb, uint32_t width_in) {
    const size_t rows = rgb.size() / 3 / width_in, width = horizontal.out_size;
    std::vector<uint8_t> narrow(rows * width * 3);
    for (size_t y = 0; y < rows; ++y)
        for (uint32_t x = 0; x < width; ++x)
            for (size_t c = 0; c < 3; ++c)
                narrow[(y * width + x) * 3 + c] =
                    apply_taps(horizontal, x, &rgb[y * width_in * 3 + c], 3);
    std::vector<uint8_t> out(vertical.out_size * width * 3);
    for (uint32_t y = 0; y < vertical.out_size; ++y)
        for (size_t i = 0; i < width * 3; ++i)
            out[y * width * 3 + i] = apply_taps(vertical, y, &narrow[i], width * 3);
    return out;
}

// The 8-bit levels of pixel_values before they are normalised, (height, width, 3).
inline std::vector<uint8_t> levels(const PreprocessPlan& plan, const std::vector<uint8_t>& rgb) {
    return resample(plan.horizontal, plan.vertical, rgb, plan.source_width);
}

// pixel_values, (3, height, width).
inline std::vector<float> pixel_values(const PreprocessPlan& plan,
                                       const std::vector<uint8_t>& rgb) {
    const std::vector<uint8_t> from = levels(plan, rgb);
    const size_t pixels = size_t{plan.width} * plan.height;
    std::vector<float> out(3 * pixels);
    for (size_t c = 0; c < 3; ++c)
        for (size_t i = 0; i < pixels; ++i)
            out[c * pixels + i] =
                static_cast<float>(from[i * 3 + c]) * plan.scale[c] + plan.shift[c];
    return out;
}

}  // namespace saccade::reference
