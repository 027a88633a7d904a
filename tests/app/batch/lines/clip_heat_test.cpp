#include "app/batch/lines/clip_heat.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace saccade {
namespace {

const MapGeometry two_by_two{.grid = {2, 2}, .corner = {0, 0}, .cell = {32, 24}};
constexpr Size frame{64, 48};

ClipHeat heat_of(std::initializer_list<std::vector<float>> maps) {
    ClipHeat heat;
    for (const std::vector<float>& map : maps) heat.add(map, two_by_two, frame);
    return heat;
}

TEST(ClipHeats, are_the_mean_of_all_maps) {
    const ClipHeat heat = heat_of({{1, 0, 0, 0}, {0, 0, 0, 1}, {0, 0, 0, 1}, {0, 0, 0, 1}});
    EXPECT_EQ(heat.maps(), 4u);
    EXPECT_EQ(heat.mean(), (std::vector<float>{0.25f, 0, 0, 0.75f}));
    const cv::Mat picture = heat.picture();
    EXPECT_EQ(picture.size(), cv::Size(64, 48));
    EXPECT_GT(cv::norm(picture.at<cv::Vec3b>(42, 56)), cv::norm(picture.at<cv::Vec3b>(6, 8)));
    EXPECT_GT(cv::norm(picture.at<cv::Vec3b>(6, 8)), cv::norm(picture.at<cv::Vec3b>(6, 56)));
}

TEST(ClipHeats, of_parts_are_that_of_the_whole) {
    const std::vector<float> a{0.1f, 0.2f, 0.3f, 0.4f}, b{0.7f, 0.1f, 0.1f, 0.1f};
    ClipHeat all;
    all.add(ClipHeat());
    all.add(ClipHeat::from(heat_of({a, b}).json()));
    all.add(ClipHeat::from(nlohmann::ordered_json::parse(heat_of({b}).json().dump())));
    EXPECT_EQ(all.maps(), 3u);
    EXPECT_EQ(all.mean(), heat_of({a, b, b}).mean());
    EXPECT_EQ(all.json(), ClipHeat::from(all.json()).json());
}

TEST(ClipHeats, take_pictures_of_other_sizes) {
    ClipHeat heat = heat_of({{1, 0, 0, 0}});
    const std::vector<float> wide{0, 0, 0, 1, 0, 0, 0, 1};  // the right column of four
    heat.add(wide, {.grid = {4, 2}, .corner = {0, 0}, .cell = {10, 10}}, {40, 20});
    EXPECT_EQ(heat.maps(), 2u);
    EXPECT_EQ(heat.mean(), (std::vector<float>{0.5f, 0.5f, 0, 0.5f}));
}

}  // namespace
}  // namespace saccade
