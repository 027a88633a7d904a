#include "app/draw/heat_map.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "app/draw/colour.h"

namespace saccade {
namespace {

TEST(HeatMap, is_hot_where_the_cell_is_and_leaves_what_lies_outside_cold) {
    const cv::Mat grey(40, 80, CV_8UC3, cv::Scalar(100, 100, 100));
    const PictureView view{grey.data, 80, 40, 240, true};
    const std::vector<float> cells = {0, 0, 0, 1};  // the cell at the lower right
    const cv::Mat map =
        with_heat(view, cells, {.grid = {2, 2}, .corner = {0, 0}, .cell = {30, 20}});
    ASSERT_EQ(map.size(), cv::Size(80, 40));
    const auto hot = map.at<cv::Vec3b>(30, 45), cold = map.at<cv::Vec3b>(8, 8);
    const auto outside = map.at<cv::Vec3b>(30, 75);
    EXPECT_GT(hot[2], 150) << "red";
    EXPECT_EQ(cold, cv::Vec3b(60, 60, 60)) << "the picture, dimmed";
    EXPECT_EQ(outside, cold);
}

TEST(HeatMap, a_map_of_nothing_is_cold_everywhere) {
    const cv::Mat grey(10, 10, CV_8UC3, cv::Scalar(100, 100, 100));
    const PictureView view{grey.data, 10, 10, 30, true};
    const std::vector<float> cells = {0};
    const cv::Mat map =
        with_heat(view, cells, {.grid = {1, 1}, .corner = {0, 0}, .cell = {10, 10}});
    EXPECT_EQ(map.at<cv::Vec3b>(5, 5), cv::Vec3b(60, 60, 60));
}

TEST(HeatMap, what_is_not_a_number_is_cold) {
    const std::vector<float> cells = {std::nanf(""), 1};
    const cv::Mat map =
        heat_alone({20, 10}, cells, {.grid = {2, 1}, .corner = {0, 0}, .cell = {10, 10}});
    const uint32_t cold = heat_colours()[0];
    EXPECT_EQ(map.at<cv::Vec3b>(5, 5),
              cv::Vec3b(uint8_t(cold >> 16), uint8_t(cold >> 8), uint8_t(cold)));
}

TEST(HeatMap, alone_shows_cells_as_they_are_and_grey_where_there_are_none) {
    const std::vector<float> cells = {0, 0.5f, 1, 0};
    const cv::Mat map =
        heat_alone({40, 20}, cells, {.grid = {2, 2}, .corner = {10, 0}, .cell = {10, 10}});
    auto colour = [](size_t level) {
        const uint32_t c = heat_colours()[level];
        return cv::Vec3b(uint8_t(c >> 16), uint8_t(c >> 8), uint8_t(c));
    };
    EXPECT_EQ(map.at<cv::Vec3b>(2, 12), colour(0));
    EXPECT_EQ(map.at<cv::Vec3b>(9, 20), colour(128)) << "to the edge of the cell";
    EXPECT_EQ(map.at<cv::Vec3b>(10, 19), colour(255));
    EXPECT_EQ(map.at<cv::Vec3b>(5, 5), cv::Vec3b::all(236));
    EXPECT_EQ(map.at<cv::Vec3b>(5, 35), cv::Vec3b::all(236));
}

TEST(HeatMap, reaches_to_the_edge_where_a_convolution_ends_half_a_cell_before_it) {
    const std::vector<float> cells = {0, 0, 0, 1};
    const MapGeometry geometry{.grid = {2, 2}, .corner = {-7.5f, -7.5f}, .cell = {16, 16}};
    const cv::Mat alone = heat_alone({32, 32}, cells, geometry);
    EXPECT_EQ(alone.at<cv::Vec3b>(31, 31), alone.at<cv::Vec3b>(20, 20));
    const cv::Mat grey(32, 32, CV_8UC3, cv::Scalar(100, 100, 100));
    const cv::Mat over = with_heat(view_of(grey), cells, geometry);
    EXPECT_EQ(over.at<cv::Vec3b>(31, 31), over.at<cv::Vec3b>(17, 17));
    EXPECT_GT(over.at<cv::Vec3b>(31, 31)[2], 150) << "red";
}

TEST(HeatMap, a_legend_runs_from_nothing_to_most) {
    const cv::Mat legend = heat_legend({256, 2}, false);
    const uint32_t most = heat_colours()[255];
    EXPECT_EQ(legend.at<cv::Vec3b>(1, 255),
              cv::Vec3b(uint8_t(most >> 16), uint8_t(most >> 8), uint8_t(most)));
    EXPECT_EQ(heat_legend({256, 2}, true).at<cv::Vec3b>(0, 0), cv::Vec3b::all(76))
        << "a dimmed picture";
}

}  // namespace
}  // namespace saccade
