#pragma once

#include <opencv2/core.hpp>

#include "app/frame/source.h"
#include "gpu/transfer/frame.h"

// How frames lie in memory, and how sources write into the consumer's memory.

namespace saccade {

// The mapped memory of a frame; flush() it when it has been written.
Slot slot_of(const Frame& frame);

// A slot of packed pixels as OpenCV sees it. What is retrieved into it lands in the consumer's
// memory, as long as the size is right; else OpenCV takes memory of its own.
cv::Mat mat_of(const Slot& slot);

// Asks for a slot of the picture's size and copies the picture there. Returns that size.
Size fill(const GiveSlot& give, const PictureView& picture);
Size fill(const GiveSlot& give, const cv::Mat& picture);

}  // namespace saccade
