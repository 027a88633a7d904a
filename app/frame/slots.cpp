#include "app/frame/slots.h"

#include <cstring>

#include "gpu/core/error.h"

namespace saccade {

Slot slot_of(const Frame& frame) { return {frame.slot().data(), frame.layout()}; }

cv::Mat mat_of(const Slot& slot) {
    if (slot.layout.yuv) throw Error("planes of YUV were taken for packed pixels");
    return cv::Mat(static_cast<int>(slot.layout.height), static_cast<int>(slot.layout.width),
                   CV_8UC3, slot.bytes, slot.layout.plane(0).row_bytes);
}

Size fill(const GiveSlot& give, const PictureView& picture) {
    const Size size{picture.width, picture.height};
    const Slot slot = give(packed(size));
    if (slot.layout != packed(size)) throw Error("the slot has another layout than the frame");
    const size_t row_bytes = slot.layout.plane(0).row_bytes;
    for (uint32_t y = 0; y < size.y; ++y)
        std::memcpy(slot.bytes + y * row_bytes, picture.pixels + size_t(y) * picture.row_bytes,
                    row_bytes);
    return size;
}

Size fill(const GiveSlot& give, const cv::Mat& picture) {
    return fill(give, PictureView{picture.data, static_cast<uint32_t>(picture.cols),
                                  static_cast<uint32_t>(picture.rows),
                                  static_cast<uint32_t>(picture.step), true});
}

}  // namespace saccade
