#include "gpu/frame.h"

#include <cstring>

#include "gpu/error.h"
#include "gpu/ops.h"

namespace saccade {

Frame::Frame(Device& device, uint32_t width, uint32_t height, bool bgr)
    : image_(device, "frame", width, height), bgr_(bgr) {
    // Kernels read words.
    const uint64_t bytes = (uint64_t(width) * height * 3 + 3) / 4 * 4;
    slot_ = Buffer(device, "frame slot", bytes, Memory::upload);
}

void Frame::write(const PictureView& picture) {
    if (picture.width != width() || picture.height != height() || picture.bgr != bgr_)
        throw Error("a frame of another size or order was written into a slot");
    for (uint32_t y = 0; y < picture.height; ++y)
        std::memcpy(slot().data() + size_t(y) * row_bytes(),
                    picture.pixels + size_t(y) * picture.row_bytes, row_bytes());
    flush();
}

void Frame::record(Commands& c) const {
    // Bands of rows, because a large picture has more bytes than one binding can see.
    const Limits& limits = c.device().limits();
    const uint64_t row = row_bytes();
    // Bands begin on words and on any device's alignment: 256 rows of any length do.
    const uint64_t most = std::max<uint64_t>(limits.storage_range / row / 256 * 256, 256);
    for (uint64_t first = 0; first < height(); first += most) {
        const uint64_t rows = std::min<uint64_t>(most, height() - first);
        Pixels pixels;
        const uint64_t bytes = (rows * row + 3) / 4 * 4;
        pixels.bytes = {slot_.handle(), first * row, bytes, Type::u32};
        pixels.bytes.batch = pixels.bytes.rows = 1;
        pixels.bytes.columns = pixels.bytes.row_stride = static_cast<uint32_t>(bytes / 4);
        pixels.row_bytes = row_bytes();
        pixels.bgr = bgr_;
        pixels.first_row = static_cast<uint32_t>(first);
        pixels.rows = static_cast<uint32_t>(rows);
        unpack(c, image_, pixels);
    }
}

}  // namespace saccade
