#include "app/video/jpeg.h"

#include <turbojpeg.h>

#include <algorithm>

#include "gpu/core/error.h"

namespace saccade {

namespace {

// Limited range, 16 .. 235 (luma) or 16 .. 240 (chroma), to full range, in 24.8 fixed point.
void widen(std::span<uint8_t> plane, int middle, int scale, int offset) {
    for (uint8_t& level : plane)
        level = static_cast<uint8_t>(
            std::clamp((((int(level) - middle) * scale + 128) >> 8) + offset, 0, 255));
}

}  // namespace

void JpegEncoder::Close::operator()(void* handle) const { ::tjDestroy(handle); }

JpegEncoder::JpegEncoder(int quality) : handle_(::tjInitCompress()), quality_(quality) {
    if (!handle_) throw Error("libjpeg-turbo cannot be opened");
}

std::span<const uint8_t> JpegEncoder::encode(std::span<uint8_t> planes, const PlaneLayout& layout) {
    const int subsampling = layout.chroma == Chroma::halved ? TJSAMP_420 : TJSAMP_444;
    const unsigned char* begins[3];
    int rows[3];
    for (size_t i = 0; i < 3; ++i) {
        const PlaneLayout::Plane plane = layout.planes()[i];
        const auto part = planes.subspan(plane.begin, uint64_t(plane.row_bytes) * plane.height);
        if (i == 0)
            widen(part, 16, 298, 0);
        else
            widen(part, 128, 291, 128);
        begins[i] = part.data();
        rows[i] = int(plane.row_bytes);
    }
    const int width = int(layout.width), height = int(layout.height);
    bytes_.resize(::tjBufSize(width, height, subsampling));
    unsigned char* to = bytes_.data();
    unsigned long count = bytes_.size();
    if (::tjCompressFromYUVPlanes(handle_.get(), begins, width, rows, height, subsampling, &to,
                                  &count, quality_, TJFLAG_NOREALLOC | TJFLAG_FASTDCT) != 0)
        throw Error("libjpeg-turbo: " + std::string(::tjGetErrorStr2(handle_.get())));
    return {bytes_.data(), count};
}

PlaneLayout shrink(std::span<const uint8_t> planes, const PlaneLayout& layout, uint32_t width,
                   std::vector<uint8_t>& to) {
    const uint32_t by = std::max((layout.width + width - 1) / width, 1u);
    const uint32_t shared = layout.chroma == Chroma::halved ? 2 : 1;
    // Both planes have whole blocks.
    auto side = [&](uint32_t all) { return std::max(all / (by * shared), 1u) * shared; };
    PlaneLayout small = layout;
    if (by > 1) small.width = side(layout.width), small.height = side(layout.height);
    to.resize(small.bytes());
    for (size_t i = 0; i < 3; ++i) {
        const PlaneLayout::Plane from = layout.planes()[i], into = small.planes()[i];
        for (uint32_t y = 0; y < into.height; ++y)
            for (uint32_t x = 0; x < into.width; ++x) {
                uint32_t sum = 0, count = 0;
                for (uint32_t v = y * by; v < std::min((y + 1) * by, from.height); ++v)
                    for (uint32_t u = x * by; u < std::min((x + 1) * by, from.width); ++u, ++count)
                        sum += planes[from.begin + uint64_t(v) * from.row_bytes + u];
                to[into.begin + uint64_t(y) * into.row_bytes + x] =
                    static_cast<uint8_t>(count > 0 ? sum / count : 0);
            }
    }
    return small;
}

}  // namespace saccade
