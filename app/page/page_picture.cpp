#include "app/page/page_picture.h"

#include <algorithm>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "app/draw/heat_map.h"
#include "app/page/base64.h"

namespace saccade {

PagePicture page_picture(const PictureView& picture, int side) {
    cv::Mat pixels = as_bgr(picture);
    const double scale = double(side) / std::max(pixels.cols, pixels.rows);
    if (scale < 1) cv::resize(pixels, pixels, {}, scale, scale, cv::INTER_AREA);
    std::vector<uchar> bytes;
    cv::imencode(".jpg", pixels, bytes, {cv::IMWRITE_JPEG_QUALITY, 88});
    return {"data:image/jpeg;base64," + base64_of(bytes), pixels.size()};
}

}  // namespace saccade
