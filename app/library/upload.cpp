#include "app/library/upload.h"

#include <cstring>

#include "gpu/core/error.h"

namespace saccade {

namespace {

bool is_yuv(saccade_format format) { return format == SACCADE_NV12 || format == SACCADE_I420; }

struct Rows {
    const uint8_t* first;
    size_t bytes;  // from row to row
};

// The rows of the caller's plane; `shortest` is a row without a gap.
Rows rows_of(const saccade_picture& picture, uint32_t plane, size_t shortest) {
    const size_t bytes = picture.row_bytes[plane] > 0 ? picture.row_bytes[plane] : shortest;
    if (!picture.planes[plane])
        throw Error("plane " + std::to_string(plane) + " of the picture is null");
    if (bytes < shortest)
        throw Error("row_bytes of plane " + std::to_string(plane) + " is " + std::to_string(bytes) +
                    ", but a row has " + std::to_string(shortest) + " bytes");
    return {picture.planes[plane], bytes};
}

void copy_plane(const Rows& from, std::byte* slot, const PixelLayout::Plane& to, size_t row) {
    for (uint32_t y = 0; y < to.height; ++y)
        std::memcpy(slot + to.offset + y * to.row_bytes, from.first + y * from.bytes, row);
}

// Every second byte of interleaved chroma.
void split_chroma(const Rows& from, std::byte* slot, const PixelLayout::Plane& to, size_t first) {
    for (uint32_t y = 0; y < to.height; ++y) {
        const uint8_t* const row = from.first + y * from.bytes + first;
        std::byte* const out = slot + to.offset + y * to.row_bytes;
        for (uint32_t x = 0; x < to.width; ++x) out[x] = std::byte{row[2 * size_t(x)]};
    }
}

void drop_alpha(const Rows& from, std::byte* slot, const PixelLayout::Plane& to) {
    for (uint32_t y = 0; y < to.height; ++y) {
        const uint8_t* in = from.first + y * from.bytes;
        std::byte* out = slot + y * to.row_bytes;
        for (uint32_t x = 0; x < to.width; ++x, in += 4, out += 3)
            for (int i = 0; i < 3; ++i) out[i] = std::byte{in[i]};
    }
}

}  // namespace

PixelLayout layout_of(const saccade_picture& picture) {
    constexpr uint32_t longest = 65536;
    if (picture.width == 0 || picture.height == 0 || picture.width > longest ||
        picture.height > longest)
        throw Error("a picture of " + std::to_string(picture.width) + "x" +
                    std::to_string(picture.height) + " pixels cannot be used");
    if (picture.format < SACCADE_RGB || picture.format > SACCADE_I420)
        throw Error("the picture has no known format");
    PixelLayout layout{
        .width = picture.width, .height = picture.height, .bgr = picture.format == SACCADE_BGR};
    if (!is_yuv(picture.format)) return layout;
    if (picture.matrix < SACCADE_BT601 || picture.matrix > SACCADE_BT2020)
        throw Error("the picture has no known matrix");
    layout.bgr = true;
    layout.yuv = YuvFormat{.matrix = static_cast<YuvMatrix>(picture.matrix),
                           .full_range = picture.full_range != 0};
    return layout;
}

void write(const saccade_picture& picture, const Frame& frame) {
    const PixelLayout& layout = frame.layout();
    std::byte* const slot = frame.slot().data();
    const PixelLayout::Plane first = layout.plane(0);
    const size_t width = picture.width;
    if (picture.format == SACCADE_RGBA) {
        drop_alpha(rows_of(picture, 0, 4 * width), slot, first);
    } else if (!layout.yuv) {
        copy_plane(rows_of(picture, 0, 3 * width), slot, first, 3 * width);
    } else {
        copy_plane(rows_of(picture, 0, width), slot, first, width);
        for (uint32_t i = 1; i < 3; ++i) {
            const PixelLayout::Plane chroma = layout.plane(i);
            if (picture.format == SACCADE_NV12)
                split_chroma(rows_of(picture, 1, 2 * size_t(chroma.width)), slot, chroma, i - 1);
            else
                copy_plane(rows_of(picture, i, chroma.width), slot, chroma, chroma.width);
        }
    }
    frame.flush();
}

}  // namespace saccade
