#include "app/sources/slots.h"

#include <cstring>

#include "gpu/error.h"

namespace saccade {

Slot slot_of(const Frame& frame) {
    if (!frame.bgr()) throw Error("sources write BGR, and the frame is RGB");
    return {frame.slot().data(), {frame.width(), frame.height()}, frame.row_bytes()};
}

cv::Mat mat_of(const Slot& slot) {
    return cv::Mat(static_cast<int>(slot.size.height), static_cast<int>(slot.size.width), CV_8UC3,
                   slot.pixels, slot.row_bytes);
}

ImageSize fill(const GiveSlot& give, const PictureView& picture) {
    const ImageSize size{picture.width, picture.height};
    const Slot slot = give(size);
    if (slot.size != size) throw Error("a slot of another size was given than was asked for");
    for (uint32_t y = 0; y < size.height; ++y)
        std::memcpy(slot.pixels + y * slot.row_bytes,
                    picture.pixels + size_t(y) * picture.row_bytes, size_t(3) * size.width);
    return size;
}

ImageSize fill(const GiveSlot& give, const cv::Mat& picture) {
    return fill(give, PictureView{picture.data, static_cast<uint32_t>(picture.cols),
                                  static_cast<uint32_t>(picture.rows),
                                  static_cast<uint32_t>(picture.step), true});
}

}  // namespace saccade
