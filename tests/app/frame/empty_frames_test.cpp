#include "app/frame/empty_frames.h"

#include <gtest/gtest.h>

namespace saccade {
namespace {

TEST(EmptyFramesTest, a_hundred_in_a_row_are_told_once) {
    EmptyFrames frames;
    for (int i = 0; i < 99; ++i) EXPECT_FALSE(frames.add(0.04f, 0.5f)) << i;
    EXPECT_TRUE(frames.add(0.04f, 0.5f));
    for (int i = 0; i < 300; ++i) EXPECT_FALSE(frames.add(0.04f, 0.5f)) << i;
}

TEST(EmptyFramesTest, a_score_above_a_tenth_of_the_threshold_begins_the_row_again) {
    EmptyFrames frames;
    for (int i = 0; i < 99; ++i) frames.add(0, 0.5f);
    EXPECT_FALSE(frames.add(0.06f, 0.5f));
    for (int i = 0; i < 99; ++i) EXPECT_FALSE(frames.add(0.05f, 0.5f)) << i;
    EXPECT_TRUE(frames.add(0.05f, 0.5f));
}

}  // namespace
}  // namespace saccade
