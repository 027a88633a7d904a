#include "app/sources/scene_cuts.h"

#include <gtest/gtest.h>

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "app/draw/heat_map.h"
#include "app/frame/slots.h"
#include "app/io/picture_file.h"
#include "tests/app/program.h"

namespace saccade {
namespace {

Slot slot_on(cv::Mat& picture) {
    return {reinterpret_cast<std::byte*>(picture.data),
            packed({uint32_t(picture.cols), uint32_t(picture.rows)})};
}

// A part of a photograph, which moves to the right.
cv::Mat part_of(const cv::Mat& photo, int left) {
    const int width = photo.cols * 3 / 4;
    return photo(cv::Rect(left, 0, width, photo.rows)).clone();
}

TEST(SceneCutsTest, another_picture_is_a_cut_and_a_pan_or_a_darker_light_is_none) {
    const PictureFile file(golden_picture());
    const cv::Mat photo = as_bgr(file.view()).clone();
    SceneCuts cuts;
    for (const int left : {0, 4, 8, 12, 8}) {
        cv::Mat moved = part_of(photo, left);
        EXPECT_FALSE(cuts.before(slot_on(moved))) << left;
    }
    cv::Mat darker = part_of(photo, 8) * 0.9;
    EXPECT_FALSE(cuts.before(slot_on(darker)));
    cv::Mat other(darker.rows, darker.cols, CV_8UC3, cv::Scalar(20, 20, 20));
    cv::circle(other, {100, 100}, 60, cv::Scalar(250, 250, 250), -1);
    EXPECT_TRUE(cuts.before(slot_on(other)));
    EXPECT_FALSE(cuts.before(slot_on(other)));
    cuts.begin_anew();
    EXPECT_FALSE(cuts.before(slot_on(darker))) << "the first frame";
}

TEST(SceneCutsTest, deep_planes_are_compared_by_their_brightness) {
    const PixelLayout layout{.width = 64, .height = 48, .yuv = YuvFormat{.bits = 10}};
    std::vector<std::byte> memory(layout.bytes());
    const Slot slot{memory.data(), layout};
    auto fill_with = [&](uint32_t level) {
        const PixelLayout::Plane luma = layout.plane(0);
        for (size_t i = 0; i < luma.bytes(); i += 2) {
            memory[i] = std::byte(level & 255);
            memory[i + 1] = std::byte(level >> 8);
        }
    };
    SceneCuts cuts;
    fill_with(400);
    EXPECT_FALSE(cuts.before(slot));
    fill_with(403);
    EXPECT_FALSE(cuts.before(slot));
    fill_with(800);
    EXPECT_TRUE(cuts.before(slot));
}

}  // namespace
}  // namespace saccade
