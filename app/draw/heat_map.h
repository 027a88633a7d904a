#pragma once

#include <opencv2/core.hpp>
#include <span>

#include "gpu/transfer/frame.h"
#include "models/attention/map_geometry.h"

namespace saccade {

// The picture with a heat map over it. Cells come row after row; the largest has the hottest
// colour, and values are interpolated between the cells' centres. Pixels outside the map have the
// coldest colour.
cv::Mat with_heat(const PictureView& picture, std::span<const float> cells,
                  const MapGeometry& geometry);

// The picture with three maps over it as red, green and blue, (3, cells) from 0 to 1, interpolated
// between the cells' centres. Pixels outside the map are left unchanged.
cv::Mat with_colours(const PictureView& picture, std::span<const float> colours,
                     const MapGeometry& geometry, double opacity);

// The map alone, not interpolated, as it lies on a picture of that size; grey outside.
cv::Mat heat_alone(cv::Size size, std::span<const float> cells, const MapGeometry& geometry);

// The scale of colours, from zero on the left to the largest value on the right: as with_heat draws
// them over a picture, or as heat_alone does.
cv::Mat heat_legend(cv::Size size, bool over_picture);

// The picture in memory of its own, in OpenCV's order.
cv::Mat as_bgr(const PictureView& picture);
PictureView view_of(const cv::Mat& bgr);

}  // namespace saccade
