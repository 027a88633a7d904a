#include "gpu/readback.h"

#include "gpu/error.h"
#include "gpu/ops.h"

namespace saccade {

namespace {
uint32_t row_bytes(uint32_t width) { return (3 * width + 3) / 4 * 4; }
}  // namespace

Readback::Readback(Device& device, uint32_t width, uint32_t height, bool bgr)
    : buffer_(device, "frame readback", uint64_t(row_bytes(width)) * height, Memory::readback),
      width_(width),
      height_(height),
      bgr_(bgr) {}

void Readback::record(Commands& c, const Image& image) const {
    if (image.width() != width_ || image.height() != height_)
        throw Error("a picture of another size than was to be read back");
    // Bands of rows, because a large picture has more bytes than one binding can see. They begin on
    // any device's alignment: 64 rows of whole words do.
    const uint64_t row = row_bytes(width_);
    const uint64_t most = std::max<uint64_t>(c.device().limits().storage_range / row / 64 * 64, 64);
    for (uint64_t first = 0; first < height_; first += most) {
        const uint64_t rows = std::min<uint64_t>(most, height_ - first);
        Pixels pixels;
        pixels.bytes = {buffer_.handle(), first * row, rows * row, Type::u32};
        pixels.bytes.batch = pixels.bytes.rows = 1;
        pixels.bytes.columns = pixels.bytes.row_stride = static_cast<uint32_t>(rows * row / 4);
        pixels.row_bytes = row_bytes(width_);
        pixels.first_row = static_cast<uint32_t>(first);
        pixels.rows = static_cast<uint32_t>(rows);
        pixels.bgr = bgr_;
        pack(c, pixels, image);
    }
}

PictureView Readback::picture() const {
    buffer_.invalidate();
    return {reinterpret_cast<const uint8_t*>(buffer_.mapped().data()), width_, height_,
            row_bytes(width_), bgr_};
}

}  // namespace saccade
