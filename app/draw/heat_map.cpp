#include "app/draw/heat_map.h"

#include <algorithm>
#include <cmath>
#include <glm/vec3.hpp>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "app/draw/colour.h"

namespace saccade {

namespace {

constexpr double opacity = 0.85;  // of the hottest cell
constexpr double dimmed = 0.6;    // the picture below
constexpr int outside = 236;      // grey, where there is no map

// Where the pixels of one axis lie on the grid: the cell of each pixel, and the two cells between
// whose centres it lies.
struct Axis {
    struct Place {
        bool inside = false;
        int cell = 0, low = 0, high = 0;
        float part = 0;  // of the way from low to high
    };
    Axis(int pixels, float origin, float cell_size, uint32_t cells) {
        const int last = static_cast<int>(cells) - 1;
        // Cells of convolutions may end half a cell before the picture does: see draw_heat.comp.
        const float end = static_cast<float>(cells);
        const float rest = (static_cast<float>(pixels) - origin) / cell_size - end;
        const float reach = origin <= 0 && rest < 0.5f ? std::max(end + rest, end) : end;
        for (int pixel = 0; pixel < pixels; ++pixel) {
            const float at = (static_cast<float>(pixel) + 0.5f - origin) / cell_size;
            const float between = std::clamp(at - 0.5f, 0.0f, static_cast<float>(last));
            Place place;
            place.inside = at >= 0 && at <= reach;
            place.cell = std::clamp(static_cast<int>(std::floor(at)), 0, last);
            place.low = static_cast<int>(between);
            place.high = std::min(place.low + 1, last);
            place.part = between - static_cast<float>(place.low);
            places.push_back(place);
        }
    }
    std::vector<Place> places;
};

// Blends a colour of heat_colours over a pixel.
cv::Vec3b blend(const cv::Vec3b& below, uint32_t colour, double share) {
    const glm::dvec3 above(channels_of(colour));
    const glm::dvec3 mixed = (1 - share) * glm::dvec3(below[2], below[1], below[0]) + share * above;
    return {cv::saturate_cast<uint8_t>(mixed.b), cv::saturate_cast<uint8_t>(mixed.g),
            cv::saturate_cast<uint8_t>(mixed.r)};
}

double alpha_of(uint32_t colour) { return double(channels_of(colour).a) / 255; }

// NaN counts as 0.
size_t level_of(float value, float hottest) {
    if (!(value > 0 && hottest > 0)) return 0;
    return static_cast<size_t>(std::lround(255 * std::min(value / hottest, 1.0f)));
}

// Interpolates between the four cells around a place; cell(row, column) gives the value of one.
float smooth(const Axis::Place& v, const Axis::Place& h, const auto& cell) {
    return std::lerp(std::lerp(cell(v.low, h.low), cell(v.low, h.high), h.part),
                     std::lerp(cell(v.high, h.low), cell(v.high, h.high), h.part), v.part);
}

}  // namespace

cv::Mat as_bgr(const PictureView& picture) {
    const cv::Mat view(static_cast<int>(picture.height), static_cast<int>(picture.width), CV_8UC3,
                       const_cast<uint8_t*>(picture.pixels), picture.row_bytes);
    cv::Mat result;
    if (picture.bgr)
        result = view.clone();
    else
        cv::cvtColor(view, result, cv::COLOR_RGB2BGR);
    return result;
}

PictureView view_of(const cv::Mat& bgr) {
    return {bgr.data, static_cast<uint32_t>(bgr.cols), static_cast<uint32_t>(bgr.rows),
            static_cast<uint32_t>(bgr.step), true};
}

cv::Mat with_heat(const PictureView& picture, std::span<const float> cells,
                  const MapGeometry& geometry) {
    cv::Mat result = as_bgr(picture);
    const auto colours = heat_colours();
    const float hottest = *std::ranges::max_element(cells);
    const uint32_t width = geometry.grid.x, height = geometry.grid.y;
    const Axis x(result.cols, geometry.corner.x, geometry.cell.x, width);
    const Axis y(result.rows, geometry.corner.y, geometry.cell.y, height);
    auto cell = [&](int row, int column) { return cells[size_t(row) * width + size_t(column)]; };
    for (int row = 0; row < result.rows; ++row)
        for (int column = 0; column < result.cols; ++column) {
            const Axis::Place& v = y.places[size_t(row)];
            const Axis::Place& h = x.places[size_t(column)];
            const float value = smooth(v, h, cell);
            const uint32_t colour = colours[v.inside && h.inside ? level_of(value, hottest) : 0];
            auto& pixel = result.at<cv::Vec3b>(row, column);
            pixel = blend(pixel * dimmed, colour, opacity * alpha_of(colour));
        }
    return result;
}

cv::Mat with_colours(const PictureView& picture, std::span<const float> colours,
                     const MapGeometry& geometry, double opacity) {
    cv::Mat result = as_bgr(picture);
    const size_t width = geometry.grid.x, cells = width * geometry.grid.y;
    const Axis x(result.cols, geometry.corner.x, geometry.cell.x, geometry.grid.x);
    const Axis y(result.rows, geometry.corner.y, geometry.cell.y, geometry.grid.y);
    for (int row = 0; row < result.rows; ++row)
        for (int column = 0; column < result.cols; ++column) {
            const Axis::Place& v = y.places[size_t(row)];
            const Axis::Place& h = x.places[size_t(column)];
            if (!v.inside || !h.inside) continue;
            auto& pixel = result.at<cv::Vec3b>(row, column);
            for (size_t k = 0; k < 3; ++k) {
                auto cell = [&](int down, int across) {
                    return colours[k * cells + size_t(down) * width + size_t(across)];
                };
                const float value = smooth(v, h, cell);
                uint8_t& channel = pixel[static_cast<int>(2 - k)];
                channel = cv::saturate_cast<uint8_t>(
                    std::lerp(double(channel), 255 * double(value), opacity));
            }
        }
    return result;
}

cv::Mat heat_alone(cv::Size size, std::span<const float> cells, const MapGeometry& geometry) {
    cv::Mat result(size, CV_8UC3, cv::Scalar::all(outside));
    const auto colours = heat_colours();
    const float hottest = *std::ranges::max_element(cells);
    const Axis x(size.width, geometry.corner.x, geometry.cell.x, geometry.grid.x);
    const Axis y(size.height, geometry.corner.y, geometry.cell.y, geometry.grid.y);
    for (int row = 0; row < size.height; ++row)
        for (int column = 0; column < size.width; ++column) {
            const Axis::Place& v = y.places[size_t(row)];
            const Axis::Place& h = x.places[size_t(column)];
            if (!v.inside || !h.inside) continue;
            const float value = cells[size_t(v.cell) * geometry.grid.x + size_t(h.cell)];
            result.at<cv::Vec3b>(row, column) = blend({}, colours[level_of(value, hottest)], 1);
        }
    return result;
}

cv::Mat heat_legend(cv::Size size, bool over_picture) {
    cv::Mat result(size, CV_8UC3);
    const auto colours = heat_colours();
    const cv::Vec3b grey = cv::Vec3b::all(static_cast<uint8_t>(128 * dimmed));
    for (int row = 0; row < size.height; ++row)
        for (int column = 0; column < size.width; ++column) {
            const uint32_t colour = colours[size_t(255 * column / std::max(size.width - 1, 1))];
            result.at<cv::Vec3b>(row, column) =
                blend(grey, colour, over_picture ? opacity * alpha_of(colour) : 1);
        }
    return result;
}

}  // namespace saccade
