#pragma once

#include <opencv2/core.hpp>

#include "app/sources/source.h"

// How sources write into the consumer's memory.

namespace saccade {

// A slot as OpenCV sees it. What is retrieved into it lands in the consumer's memory, as long as
// the size is right; else OpenCV takes memory of its own.
cv::Mat mat_of(const Slot& slot);

// Asks for a slot of the picture's size and copies the picture there. Returns that size.
ImageSize fill(const GiveSlot& give, const PictureView& picture);
ImageSize fill(const GiveSlot& give, const cv::Mat& picture);

}  // namespace saccade
