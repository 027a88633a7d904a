#include "app/video/fit_planes.h"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

namespace saccade {

void fit_planes(const PlanarView& picture, const PlaneLayout& size, uint8_t* const planes[3],
                const int row_bytes[3]) {
    const PlaneLayout& from = picture.layout;
    const double scale = std::min(double(size.width) / double(from.width),
                                  double(size.height) / double(from.height));
    auto scaled = [&](uint32_t side, uint32_t most) {
        return std::clamp(static_cast<int>(std::lround(side * scale)), 1, static_cast<int>(most));
    };
    const int width = scaled(from.width, size.width), height = scaled(from.height, size.height);
    // Even, so that subsampled chroma planes start at the same pixel.
    const int left = (static_cast<int>(size.width) - width) / 4 * 2,
              top = (static_cast<int>(size.height) - height) / 4 * 2;
    constexpr int black[3] = {16, 128, 128};
    for (size_t i = 0; i < 3; ++i) {
        const PlaneLayout::Plane source = from.planes()[i], target = size.planes()[i];
        const int shared = i > 0 && size.chroma == Chroma::halved ? 2 : 1;
        const cv::Mat in(static_cast<int>(source.height), static_cast<int>(source.width), CV_8UC1,
                         const_cast<uint8_t*>(picture.memory + source.begin), source.row_bytes);
        cv::Mat out(static_cast<int>(target.height), static_cast<int>(target.width), CV_8UC1,
                    planes[i], static_cast<size_t>(row_bytes[i]));
        const cv::Size inner((width + shared - 1) / shared, (height + shared - 1) / shared);
        out.setTo(black[i]);
        cv::Mat middle = out(cv::Rect({left / shared, top / shared}, inner));
        cv::resize(in, middle, inner, 0, 0,
                   inner.width < in.cols ? cv::INTER_AREA : cv::INTER_LINEAR);
    }
}

}  // namespace saccade
