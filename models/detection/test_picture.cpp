#include "models/detection/test_picture.h"

#include <cmath>
#include <cstring>

#include "gpu/ops/elementwise.h"
#include "gpu/recorder/upload.h"

namespace saccade {

TestPicture::TestPicture(Device& device, float darkest, float brightest)
    : memory_(device, "test picture", tensor_bytes(1, area(size), 3, Type::f32), Memory::device),
      waves_(make_tensor(memory_.handle(), 0, 1, area(size), 3, Type::f32)) {
    upload(device, waves_, [&](std::span<std::byte> staged) {
        for (uint32_t y = 0; y < size.y; ++y)
            for (uint32_t x = 0; x < size.x; ++x)
                for (uint32_t channel = 0; channel < 3; ++channel) {
                    const auto phase = static_cast<float>(x * x + channel * y * y);
                    const float wave = 0.5f + 0.5f * std::sin(0.005f * phase);
                    const float value = darkest + (brightest - darkest) * wave;
                    const size_t at = (y * size.x + x) * waves_.row_stride + channel;
                    std::memcpy(&staged[at * sizeof value], &value, sizeof value);
                }
    });
}

Tensor TestPicture::pixels(Commands& c, Type type) const {
    const Tensor pixels = c.scratch(1, area(size), 3, type);
    copy(c, pixels, waves_);
    return pixels;
}

float largest_score(std::span<const float> queries_and_keys, uint32_t columns, const Heads& heads) {
    const size_t head = columns / (2 * heads.count);
    float longest[2] = {0, 0};
    for (size_t i = 0; i < queries_and_keys.size() / head; ++i) {
        float square = 0;
        for (size_t j = 0; j < head; ++j) {
            const float v = queries_and_keys[i * head + j];
            square += v * v;
        }
        float& most = longest[i / heads.count % 2];
        if (square > most || std::isnan(square)) most = square;
    }
    return heads.scale * std::sqrt(longest[0] * longest[1]);
}

}  // namespace saccade
