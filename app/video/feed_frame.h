#pragma once

#include "app/video/av.h"
#include "gpu/core/geometry.h"
#include "gpu/transfer/frame.h"

namespace saccade {

// A frame for the receivers of a feed, which expect one size: a picture of another size is scaled
// to fit, with black bars (letterbox).
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
