#include "app/draw/point_marks.h"

#include <algorithm>
#include <cmath>

#include "app/draw/colour.h"

namespace saccade {

namespace {

struct LevelColour {
    const char* name;
    double hue;
};
constexpr LevelColour level_colours[] = {
    {"cyan", 205}, {"green", 145}, {"pink", 340}, {"blue", 265}, {"yellow", 100}};

}  // namespace

uint32_t level_colour(uint32_t level) {
    return colour_from(0.78, 0.2, level_colours[level % std::size(level_colours)].hue);
}

std::string levels_text(const std::vector<Size>& levels) {
    std::string text = "maps of ";
    for (size_t i = 0; i < levels.size(); ++i) {
        if (i > 0) text += i + 1 == levels.size() ? " and " : ", ";
        text += std::to_string(levels[i].x) + " \u00d7 " + std::to_string(levels[i].y) + " (" +
                level_colours[i % std::size(level_colours)].name + ")";
    }
    return text;
}

float point_size(float share) { return std::max(1.5f, 14 * std::sqrt(std::max(share, 0.0f))); }

std::vector<Marks::Dot> dots_of(std::vector<SampledPoint> points) {
    std::ranges::stable_sort(points, {}, &SampledPoint::share);
    std::vector<Marks::Dot> dots;
    dots.reserve(2 * points.size());
    for (const SampledPoint& point : points) {
        const float size = point_size(point.share);
        dots.push_back({point.place, rgba(0, 0, 0, 160), size + 1});
        dots.push_back({point.place, level_colour(point.level), size});
    }
    return dots;
}

}  // namespace saccade
