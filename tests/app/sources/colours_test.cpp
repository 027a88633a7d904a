#include <cmath>

#include "app/video/av.h"
#include "tests/gpu/ops/pictures/yuv_test.h"

extern "C" {
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
}

namespace saccade {
namespace {

// FFmpeg's own conversion is swscale's with every switch that makes it exact: a cubic filter for
// colours (its default), exact rounding, and colours for each pixel. Without them it is faster, and
// repeats a colour for both pixels that share it.
class Colours : public YuvTest {
protected:
    static AVPixelFormat pixel_format(const YuvFormat& format) {
        const std::string name = std::string("yuv4") +
                                 (!format.half_width    ? "44"
                                  : !format.half_height ? "22"
                                                        : "20") +
                                 "p" + (format.bits > 8 ? std::to_string(format.bits) + "le" : "");
        return av_get_pix_fmt(name.c_str());
    }
    static Picture by_ffmpeg(const Planes& planes) {
        const PixelLayout& layout = planes.layout;
        const YuvFormat& format = *layout.yuv;
        const int width = static_cast<int>(layout.width), height = static_cast<int>(layout.height);
        const Av<SwsContext> scaler(sws_alloc_context());
        auto set = [&](const char* name, int64_t value) {
            if (av_opt_set_int(scaler.get(), name, value, 0) < 0) throw Error(name);
        };
        for (const char* name : {"srcw", "dstw"}) set(name, width);
        for (const char* name : {"srch", "dsth"}) set(name, height);
        set("src_format", pixel_format(format));
        set("dst_format", AV_PIX_FMT_RGB24);
        set("sws_flags", SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT);
        if (format.half_width) set("src_h_chr_pos", format.chroma_left ? 0 : 128);
        if (format.half_height) set("src_v_chr_pos", format.chroma_top ? 0 : 128);
        if (sws_init_context(scaler.get(), nullptr, nullptr) < 0) throw Error("swscale");
        constexpr int spaces[] = {SWS_CS_ITU601, SWS_CS_ITU709, SWS_CS_BT2020};
        const int* matrix = sws_getCoefficients(spaces[static_cast<size_t>(format.matrix)]);
        sws_setColorspaceDetails(scaler.get(), matrix, format.full_range, matrix, 1, 0, 1 << 16,
                                 1 << 16);

        const size_t sample = format.bits > 8 ? 2 : 1;
        std::vector<uint8_t> stored[3];
        const uint8_t* from[4] = {};
        int from_bytes[4] = {};
        for (uint32_t i = 0; i < 3; ++i) {
            stored[i].resize(planes.samples[i].size() * sample + 64);
            for (size_t n = 0; n < planes.samples[i].size(); ++n)
                std::memcpy(&stored[i][n * sample], &planes.samples[i][n], sample);
            from[i] = stored[i].data();
            from_bytes[i] = static_cast<int>(layout.plane(i).width * sample);
        }
        std::vector<uint8_t> rgb(size_t(3) * layout.width * layout.height + 64);
        uint8_t* to[4] = {rgb.data()};
        const int to_bytes[4] = {3 * width};
        sws_scale(scaler.get(), from, from_bytes, 0, height, to, to_bytes);
        Picture picture(layout.width, layout.height);
        for (size_t n = 0; n < picture.pixels.size(); ++n)
            for (size_t c = 0; c < 3; ++c) picture.pixels[n][c] = rgb[3 * n + c];
        return picture;
    }
    // Fills each plane with levels from 0 to 1.
    template <typename F>
    static Planes painted(const PixelLayout& layout, F level) {
        Planes planes{layout, {}};
        const double most = double((1u << layout.yuv->bits) - 1);
        for (uint32_t i = 0; i < 3; ++i) {
            const PixelLayout::Plane plane = layout.plane(i);
            for (uint32_t y = 0; y < plane.height; ++y)
                for (uint32_t x = 0; x < plane.width; ++x) {
                    const double value =
                        level(i, (x + 0.5) / plane.width, (y + 0.5) / plane.height);
                    planes.samples[i].push_back(
                        uint32_t(std::lround(std::clamp(value, 0.0, 1.0) * most)));
                }
        }
        return planes;
    }
    // From one end of the limited range to the other. Beyond it swscale's sums overflow.
    static Planes gradient(const PixelLayout& layout) {
        return painted(layout, [](uint32_t plane, double x, double y) {
            const double part = plane == 0 ? (x + y) / 2 : plane == 1 ? x : 1 - y;
            return (16 + (plane == 0 ? 219 : 224) * part) / 255;
        });
    }
    // Every sample differs much from the next.
    static Planes texture_of(const PixelLayout& layout) {
        return painted(layout, [](uint32_t plane, double x, double y) {
            const double wild = std::sin(1e4 * (x + 3 * y) + plane) * 5000;
            return 0.3 + 0.4 * (wild - std::floor(wild));
        });
    }
    // Hard edges in front of a soft background, textures, and saturated colours.
    static Planes scene(const PixelLayout& layout) {
        return painted(layout, [](uint32_t plane, double x, double y) {
            auto within = [&](double cx, double cy, double r) {
                return (x - cx) * (x - cx) + (y - cy) * (y - cy) < r * r;
            };
            const double texture = 0.08 * std::sin(60 * x + 9 * y) * std::cos(35 * y);
            if (within(0.3, 0.4, 0.2)) return plane == 0 ? 0.35 + texture : plane == 1 ? 0.35 : 0.9;
            if (within(0.7, 0.6, 0.25)) return plane == 0 ? 0.2 : plane == 1 ? 0.92 : 0.43;
            if (within(0.5, 0.1, 0.15)) return plane == 0 ? 0.9 : plane == 1 ? 0.1 : 0.55 + texture;
            return plane == 0   ? 0.3 + 0.5 * y + texture
                   : plane == 1 ? 0.6 - 0.2 * y
                                : 0.45 + 0.1 * x;
        });
    }
    // The largest difference of any channel of any pixel.
    int distance_to_ffmpeg(const Planes& planes) {
        const YuvFormat& format = *planes.layout.yuv;
        Picture ours = on_device(planes);
        const Picture theirs = by_ffmpeg(planes);
        // For chroma between two pixels, swscale drops the filter's first sample at the third
        // pixel, because it rounds that position, which is beyond the edge, towards zero.
        for (uint32_t y = 0; y < ours.height; ++y)
            for (uint32_t x = 0; x < ours.width; ++x)
                if ((format.half_width && !format.chroma_left && x == 2) ||
                    (format.half_height && !format.chroma_top && y == 2))
                    ours.at(x, y) = theirs.at(x, y);
        return ours.distance(theirs);
    }
};

TEST_F(Colours, are_those_of_ffmpeg_to_one_level_in_every_format) {
    for (YuvMatrix matrix : {YuvMatrix::bt601, YuvMatrix::bt709, YuvMatrix::bt2020})
        for (bool full : {false, true})
            for (uint32_t bits : {8u, 10u, 12u})
                for (uint32_t halved : {0u, 1u, 2u}) {
                    PixelLayout layout{.width = 64, .height = 48};
                    layout.yuv = YuvFormat{.matrix = matrix, .full_range = full, .bits = bits};
                    layout.yuv->half_width = halved > 0;
                    layout.yuv->half_height = halved > 1;
                    for (const Planes& planes :
                         {gradient(layout), scene(layout), texture_of(layout)})
                        EXPECT_LE(distance_to_ffmpeg(planes), 1)
                            << "matrix " << int(matrix) << (full ? " full " : " limited ") << bits
                            << " bits, " << halved;
                }
}

TEST_F(Colours, are_those_of_ffmpeg_wherever_they_lie) {
    for (uint32_t place : {0u, 1u, 2u, 3u}) {
        const YuvFormat format{.chroma_left = (place & 1) != 0, .chroma_top = (place & 2) != 0};
        const Planes planes = scene({.width = 64, .height = 48, .yuv = format});
        EXPECT_LE(distance_to_ffmpeg(planes), 1) << place;
    }
}

}  // namespace
}  // namespace saccade
