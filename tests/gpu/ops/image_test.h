#pragma once

#include <array>

#include "gpu/transfer/readback.h"
#include "tests/gpu_test.h"

namespace saccade {

using Pixel = std::array<int, 3>;

// A picture on the CPU, for references and comparisons.
struct Picture {
    uint32_t width, height;
    std::vector<Pixel> pixels;

    Picture(uint32_t across, uint32_t down, Pixel colour = {0, 0, 0})
        : width(across), height(down), pixels(size_t(across) * down, colour) {}
    Pixel& at(uint32_t x, uint32_t y) { return pixels[size_t(y) * width + x]; }
    const Pixel& at(uint32_t x, uint32_t y) const { return pixels[size_t(y) * width + x]; }

    // The largest difference of any channel.
    int distance(const Picture& other) const {
        int worst = width == other.width && height == other.height ? 0 : 256;
        for (size_t i = 0; i < pixels.size() && worst < 256; ++i)
            for (size_t c = 0; c < 3; ++c)
                worst = std::max(worst, std::abs(pixels[i][c] - other.pixels[i][c]));
        return worst;
    }
};

// Pictures to the device and back.
class ImageTest : public GpuTest {
protected:
    // A picture whose pixels all differ a little.
    static Picture texture(uint32_t width, uint32_t height) {
        Picture picture(width, height);
        for (uint32_t y = 0; y < height; ++y)
            for (uint32_t x = 0; x < width; ++x)
                picture.at(x, y) = {int((x * 7 + y * 3) % 256), int((x * x + y * 11) % 256),
                                    int((x * 5 + y * y) % 256)};
        return picture;
    }
    // Runs what `work` records for an image, on a picture.
    template <typename Work>
    Picture drawn(const Picture& picture, Work work) {
        const uint32_t width = picture.width, height = picture.height;
        std::vector<uint8_t> bytes;
        for (const Pixel& pixel : picture.pixels)
            for (int channel : pixel) bytes.push_back(static_cast<uint8_t>(channel));
        Frame frame(device, width, height, false);
        frame.write({bytes.data(), width, height, 3 * width, false});
        const Readback readback(device, width, height, false);
        begin();
        frame.record(commands);
        work(commands, frame.image());
        readback.record(commands, frame.image());
        finish();
        return picture_of(readback);
    }
    static Picture picture_of(const Readback& readback) {
        const PictureView view = readback.picture();
        Picture result(view.width, view.height);
        for (uint32_t y = 0; y < view.height; ++y)
            for (uint32_t x = 0; x < view.width; ++x)
                for (size_t c = 0; c < 3; ++c)
                    result.at(x, y)[view.bgr ? 2 - c : c] =
                        view.pixels[size_t(y) * view.row_bytes + 3 * x + c];
        return result;
    }
    // Structs of words in memory that the device sees.
    template <typename Struct>
    Tensor structs(const std::vector<Struct>& values, const std::vector<uint32_t>& before = {}) {
        std::vector<uint32_t> words = before;
        const auto* first = reinterpret_cast<const uint32_t*>(values.data());
        words.insert(words.end(), first, first + values.size() * sizeof(Struct) / 4);
        return ids(words);
    }
};

}  // namespace saccade
