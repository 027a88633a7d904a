#pragma once

#include <opencv2/core.hpp>
#include <span>

#include "gpu/transfer/frame.h"
#include "models/attention/map_geometry.h"

namespace saccade {

// The picture with a map of attention over it: cells row after row, the largest of them as hot as
// it gets, smooth between their centres. Pixels outside of the map are as cold as it gets.
cv::Mat with_heat(const PictureView& picture, std::span<const float> cells,
                  const MapGeometry& geometry);

// The picture with three maps over it as red, green and blue, (3, cells) from 0 to 1, smooth
// between the centres of cells. Pixels outside of the map stay as they are.
cv::Mat with_colours(const PictureView& picture, std::span<const float> colours,
                     const MapGeometry& geometry, double opacity);

// The map alone, cell by cell, where it would lie over a picture of that size; grey outside.
cv::Mat heat_alone(cv::Size size, std::span<const float> cells, const MapGeometry& geometry);

// The colours of either, from nothing on the left to the largest value on the right.
cv::Mat heat_legend(cv::Size size, bool over_picture);

// The picture in memory of its own, in OpenCV's order.
cv::Mat as_bgr(const PictureView& picture);
PictureView view_of(const cv::Mat& bgr);

}  // namespace saccade
