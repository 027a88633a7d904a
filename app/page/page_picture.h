#pragma once

#include <opencv2/core.hpp>
#include <string>

#include "gpu/transfer/frame.h"

namespace saccade {

// A picture inside a page.
struct PagePicture {
    std::string url;  // "data:image/jpeg;base64,..."
    cv::Size size;
};
// As a JPEG; if it is wider or higher than `side` pixels, it is scaled down to them.
PagePicture page_picture(const PictureView& picture, int side);

}  // namespace saccade
