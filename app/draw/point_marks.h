#pragma once

#include <string>
#include <vector>

#include "app/draw/marks.h"
#include "models/attention/sampled_points.h"

namespace saccade {

// Colours unlike each other and unlike those of heat, over which points are drawn.
uint32_t level_colour(uint32_t level);
// "maps of 80 × 80 (cyan), 40 × 40 (green) and 20 × 20 (pink)"
std::string levels_text(const std::vector<Size>& levels);

// How wide a point is drawn, in widths of a box's frame: its area is its share.
float point_size(float share);

// Each point has a dark rim. Those of the largest shares lie on top.
std::vector<Marks::Dot> dots_of(std::vector<SampledPoint> points);

}  // namespace saccade
