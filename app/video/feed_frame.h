#pragma once

#include "app/video/av.h"
#include "gpu/core/geometry.h"
#include "gpu/transfer/frame.h"

namespace saccade {

// A picture for whoever receives a feed. Receivers count on one size: pictures of another one are
// shown as large as fits, in the middle, and black around.
class FeedFrame {
public:
    FeedFrame(Size size, AVPixelFormat format);

    AVFrame& fill(const PictureView& bgr);

private:
    void paint_black();

    Av<AVFrame> frame_;
    Av<SwsContext> convert_;
    Size from_;  // what convert_ was made for
};

}  // namespace saccade
