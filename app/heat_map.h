#pragma once

#include <opencv2/core.hpp>
#include <span>
#include <string>
#include <vector>

#include "gpu/frame.h"
#include "models/look.h"

namespace saccade {

// The picture with a map of attention over it: cells row after row, the largest of them as hot as
// it gets, smooth between their centres. What lies outside of the map is as cold as it gets.
cv::Mat with_heat(const PictureView& picture, std::span<const float> cells,
                  const MapGeometry& geometry);

// Pictures of one size side by side, some to a row, with a line of text above each.
struct Tile {
    std::string text;
    cv::Mat picture;
};
cv::Mat strip_of(const std::vector<Tile>& tiles);

}  // namespace saccade
