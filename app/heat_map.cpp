#include "app/heat_map.h"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

namespace saccade {

namespace {

constexpr double opacity = 0.75;  // of the hottest cell
constexpr int tile_width = 240, tiles_across = 5, gap = 8;
constexpr double font_scale = 0.55;

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

// The text, cut so that it is no wider than a tile.
std::string fitting(std::string text) {
    auto width = [](const std::string& t) {
        return cv::getTextSize(t, cv::FONT_HERSHEY_SIMPLEX, font_scale, 1, nullptr).width;
    };
    if (width(text) <= tile_width) return text;
    while (!text.empty() && width(text + "...") > tile_width) text.pop_back();
    return text + "...";
}

}  // namespace

cv::Mat with_heat(const PictureView& picture, std::span<const float> cells,
                  const MapGeometry& geometry) {
    const cv::Mat grid(static_cast<int>(geometry.grid.height),
                       static_cast<int>(geometry.grid.width), CV_32F,
                       const_cast<float*>(cells.data()));
    const float hottest = *std::ranges::max_element(cells);
    // Where each pixel's centre lies between the centres of cells.
    const cv::Size size(static_cast<int>(picture.width), static_cast<int>(picture.height));
    cv::Mat x(size, CV_32F), y(size, CV_32F), heat;
    for (int row = 0; row < size.height; ++row)
        for (int column = 0; column < size.width; ++column) {
            x.at<float>(row, column) =
                (static_cast<float>(column) + 0.5f - geometry.left) / geometry.cell_width - 0.5f;
            y.at<float>(row, column) =
                (static_cast<float>(row) + 0.5f - geometry.top) / geometry.cell_height - 0.5f;
        }
    cv::remap(grid, heat, x, y, cv::INTER_LINEAR, cv::BORDER_REPLICATE);
    heat *= hottest > 0 ? 1.0 / double(hottest) : 0.0;

    cv::Mat levels, colours, result = as_bgr(picture);
    heat.convertTo(levels, CV_8U, 255.0);
    cv::applyColorMap(levels, colours, cv::COLORMAP_INFERNO);
    for (int row = 0; row < size.height; ++row)
        for (int column = 0; column < size.width; ++column) {
            const bool outside = x.at<float>(row, column) < -0.5f ||
                                 y.at<float>(row, column) < -0.5f ||
                                 x.at<float>(row, column) > static_cast<float>(grid.cols) - 0.5f ||
                                 y.at<float>(row, column) > static_cast<float>(grid.rows) - 0.5f;
            const double share = outside ? 0.0 : opacity * double(heat.at<float>(row, column));
            auto& pixel = result.at<cv::Vec3b>(row, column);
            for (int channel = 0; channel < 3; ++channel)
                pixel[channel] =
                    cv::saturate_cast<uint8_t>((1 - share) * pixel[channel] * 0.6 +
                                               share * colours.at<cv::Vec3b>(row, column)[channel]);
        }
    return result;
}

cv::Mat strip_of(const std::vector<Tile>& tiles) {
    const cv::Size whole = tiles.front().picture.size();
    const int height =
        std::max(1, static_cast<int>(std::lround(double(whole.height) * tile_width / whole.width)));
    const int text_height = 24, count = static_cast<int>(tiles.size());
    const int across = std::min(count, tiles_across), down = (count + across - 1) / across;
    cv::Mat strip(gap + down * (text_height + height + gap), gap + across * (tile_width + gap),
                  CV_8UC3, cv::Scalar(255, 255, 255));
    for (int i = 0; i < count; ++i) {
        const Tile& tile = tiles[static_cast<size_t>(i)];
        const int left = gap + i % across * (tile_width + gap);
        const int top = gap + i / across * (text_height + height + gap);
        cv::putText(strip, fitting(tile.text), {left, top + text_height - 8},
                    cv::FONT_HERSHEY_SIMPLEX, font_scale, cv::Scalar(0, 0, 0), 1, cv::LINE_AA);
        cv::resize(tile.picture, strip(cv::Rect(left, top + text_height, tile_width, height)),
                   {tile_width, height}, 0, 0, cv::INTER_AREA);
    }
    return strip;
}

}  // namespace saccade
