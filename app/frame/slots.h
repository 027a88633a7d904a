#pragma once

#include <opencv2/core.hpp>

#include "app/frame/source.h"
#include "gpu/transfer/frame.h"

// Helpers for sources that write frames into the consumer's memory.

namespace saccade {

// The mapped memory of a frame; flush() the frame after writing.
Slot slot_of(const Frame& frame);

// A cv::Mat over a slot of packed pixels. OpenCV retrieves a picture into it if the size matches,
// and else allocates memory of its own.
cv::Mat mat_of(const Slot& slot);

// Gets a slot of the picture's size, copies the picture into it and returns the size.
Size fill(const GiveSlot& give, const PictureView& picture);
Size fill(const GiveSlot& give, const cv::Mat& picture);

}  // namespace saccade
