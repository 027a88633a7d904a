#include "gpu/transfer/frame.h"

#include <cstring>

#include "gpu/core/error.h"
#include "gpu/ops/draw.h"
#include "gpu/ops/pictures.h"

namespace saccade {

namespace {

// Some bytes of a buffer, as the words that kernels read.
Tensor words_of(const Buffer& buffer, uint64_t offset, uint64_t bytes) {
    Tensor words{buffer.handle(), offset, bytes, Type::u32};
    words.batch = words.rows = 1;
    words.columns = words.row_stride = static_cast<uint32_t>(bytes / 4);
    return words;
}

}  // namespace

Frame::Frame(Device& device, const PixelLayout& layout)
    : layout_(layout),
      slot_(device, "frame slot", layout.bytes(), Memory::upload),
      image_(device, "frame", layout.upright_width(), layout.upright_height()) {}

Frame::Frame(Device& device, uint32_t width, uint32_t height, bool bgr)
    : Frame(device, PixelLayout{.width = width, .height = height, .bgr = bgr}) {}

void Frame::write(const PictureView& picture) {
    if (layout_ !=
        PixelLayout{.width = picture.width, .height = picture.height, .bgr = picture.bgr})
        throw Error("a frame of another size or order was written into a slot");
    const size_t row_bytes = layout_.plane(0).row_bytes;
    for (uint32_t y = 0; y < picture.height; ++y)
        std::memcpy(slot().data() + size_t(y) * row_bytes,
                    picture.pixels + size_t(y) * picture.row_bytes, row_bytes);
    flush();
}

void Frame::record(Commands& c) const { layout_.yuv ? record_yuv(c) : record_packed(c); }

void Frame::record_yuv(Commands& c) const {
    auto words = [&](uint32_t number) {
        const PixelLayout::Plane plane = layout_.plane(number);
        return words_of(slot_, plane.offset, plane.bytes());
    };
    unpack_yuv(c, image_,
               {.y = words(0),
                .u = words(1),
                .v = words(2),
                .width = layout_.width,
                .height = layout_.height,
                .row_bytes = static_cast<uint32_t>(layout_.plane(0).row_bytes),
                .chroma_row_bytes = static_cast<uint32_t>(layout_.plane(1).row_bytes),
                .format = *layout_.yuv,
                .quarter_turns = layout_.quarter_turns});
}

void Frame::record_packed(Commands& c) const {
    // Bands of rows, because a large picture has more bytes than one binding can see.
    const Limits& limits = c.device().limits();
    const uint64_t row = layout_.plane(0).row_bytes;
    // Bands begin on words and on any device's alignment: 256 rows of any length do.
    const uint64_t most = std::max<uint64_t>(limits.storage_range / row / 256 * 256, 256);
    for (uint64_t first = 0; first < height(); first += most) {
        const uint64_t rows = std::min<uint64_t>(most, height() - first);
        Pixels pixels;
        pixels.bytes = words_of(slot_, first * row, (rows * row + 3) / 4 * 4);
        pixels.row_bytes = static_cast<uint32_t>(row);
        pixels.bgr = layout_.bgr;
        pixels.first_row = static_cast<uint32_t>(first);
        pixels.rows = static_cast<uint32_t>(rows);
        unpack(c, image_, pixels);
    }
}

}  // namespace saccade
