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

}  // namespace saccade
