#pragma once

#include <cstring>

#include "tests/gpu/ops/image_test.h"

namespace saccade {

// A picture's three planes of samples.
struct Planes {
    PixelLayout layout;
    std::vector<uint32_t> samples[3];

    uint32_t at(uint32_t plane, int x, int y) const {
        const PixelLayout::Plane place = layout.plane(plane);
        x = std::clamp(x, 0, int(place.width) - 1);
        y = std::clamp(y, 0, int(place.height) - 1);
        return samples[plane][size_t(y) * place.width + size_t(x)];
    }
};

// Unpacks planes on the device and reads the picture back.
class YuvTest : public ImageTest {
protected:
    // Pseudo-random samples over the whole range.
    static Planes noise(const PixelLayout& layout) {
        Planes planes{layout, {}};
        uint32_t state = 1;
        for (uint32_t i = 0; i < 3; ++i) {
            const PixelLayout::Plane plane = layout.plane(i);
            for (size_t n = 0; n < size_t(plane.width) * plane.height; ++n) {
                state = state * 1664525 + 1013904223;
                planes.samples[i].push_back(state >> (32 - layout.yuv->bits));
            }
        }
        return planes;
    }
    static Planes of_one_colour(const PixelLayout& layout, std::array<uint32_t, 3> yuv) {
        Planes planes{layout, {}};
        for (uint32_t i = 0; i < 3; ++i)
            planes.samples[i].assign(size_t(layout.plane(i).width) * layout.plane(i).height,
                                     yuv[i]);
        return planes;
    }
    Picture on_device(const Planes& planes) {
        const PixelLayout& layout = planes.layout;
        const Frame frame(device, layout);
        for (uint32_t i = 0; i < 3; ++i) {
            const PixelLayout::Plane plane = layout.plane(i);
            for (uint32_t y = 0; y < plane.height; ++y)
                for (uint32_t x = 0; x < plane.width; ++x) {
                    const uint32_t sample = planes.samples[i][size_t(y) * plane.width + x];
                    const size_t size = layout.yuv->bits > 8 ? 2 : 1;
                    std::memcpy(frame.slot().data() + plane.offset + y * plane.row_bytes + x * size,
                                &sample, size);
                }
        }
        frame.flush();
        const Readback readback(device, frame.width(), frame.height(), false);
        begin();
        frame.record(commands);
        readback.record(commands, frame.image());
        finish();
        return picture_of(readback);
    }
};

}  // namespace saccade
