#include "gpu/transfer/readback.h"

#include <algorithm>

#include "gpu/core/error.h"
#include "gpu/ops/pictures.h"

namespace saccade {

namespace {

uint32_t packed_row_bytes(uint32_t width) { return (3 * width + 3) / 4 * 4; }

void require_size(const Image& image, uint32_t width, uint32_t height) {
    if (image.width() != width || image.height() != height)
        throw Error("a picture of another size than was to be read back");
}

// Calls `use` for bands of rows, because a large picture has more bytes than one binding can see.
// Bands begin on any device's alignment: 128 rows of whole words do, and so do half as many.
template <typename Function>
void for_bands(const Limits& limits, uint32_t height, uint64_t row_bytes, Function use) {
    constexpr uint64_t unit = 128;
    const uint64_t most = std::max(limits.storage_range / row_bytes / unit * unit, unit);
    for (uint64_t first = 0; first < height; first += most)
        use(static_cast<uint32_t>(first),
            static_cast<uint32_t>(std::min<uint64_t>(most, height - first)));
}

}  // namespace

ReadbackMemory::ReadbackMemory(Device& device, const std::string& name, uint64_t bytes)
    : device_(device, name + " on the device", bytes, Memory::device),
      host_(device, name, bytes, Memory::readback) {}

Tensor ReadbackMemory::words(uint64_t begin, uint64_t bytes) const {
    Tensor words{device_.handle(), begin, bytes, Type::u32};
    words.batch = words.rows = 1;
    words.columns = words.row_stride = static_cast<uint32_t>(bytes / 4);
    return words;
}

void ReadbackMemory::record(Commands& c) const {
    const Tensor from = words(0, device_.bytes());
    Tensor to = from;
    to.buffer = host_.handle();
    c.copy_bytes(from, to);
}

const uint8_t* ReadbackMemory::bytes() const {
    host_.invalidate();
    return reinterpret_cast<const uint8_t*>(host_.mapped().data());
}

Readback::Readback(Device& device, uint32_t width, uint32_t height, bool bgr)
    : width_(width),
      height_(height),
      bgr_(bgr),
      memory_(device, "frame readback", uint64_t(packed_row_bytes(width)) * height) {}

void Readback::record(Commands& c, const Image& image) const {
    require_size(image, width_, height_);
    const uint64_t row = packed_row_bytes(width_);
    for_bands(c.device().limits(), height_, row, [&](uint32_t first, uint32_t rows) {
        pack(c,
             {.bytes = memory_.words(first * row, rows * row),
              .row_bytes = packed_row_bytes(width_),
              .first_row = first,
              .rows = rows,
              .bgr = bgr_},
             image);
    });
    memory_.record(c);
}

PictureView Readback::picture() const {
    return {memory_.bytes(), width_, height_, packed_row_bytes(width_), bgr_};
}

PlanarReadback::PlanarReadback(Device& device, const PlaneLayout& layout)
    : layout_(layout), memory_(device, "frame readback", layout.bytes()) {}

void PlanarReadback::record(Commands& c, const Image& image) const {
    require_size(image, layout_.width, layout_.height);
    const auto planes = layout_.planes();
    const bool halved = layout_.chroma == Chroma::halved;
    for_bands(c.device().limits(), layout_.height, planes[0].row_bytes,
              [&](uint32_t first, uint32_t rows) {
                  auto part = [&](const PlaneLayout::Plane& plane, uint32_t shared) {
                      const uint64_t row = plane.row_bytes;
                      return memory_.words(plane.begin + first / shared * row,
                                           (rows + shared - 1) / shared * row);
                  };
                  pack_yuv(c,
                           {.luma = part(planes[0], 1),
                            .blue = part(planes[1], halved ? 2 : 1),
                            .red = part(planes[2], halved ? 2 : 1),
                            .luma_row_bytes = planes[0].row_bytes,
                            .chroma_row_bytes = planes[1].row_bytes,
                            .first_row = first,
                            .rows = rows,
                            .halved = halved},
                           image);
              });
    memory_.record(c);
}

PlanarView PlanarReadback::picture() const { return {memory_.bytes(), layout_}; }

}  // namespace saccade
