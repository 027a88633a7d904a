#include "app/draw/colour.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

namespace saccade {
namespace {

double luminance(uint32_t colour) {
    auto linear = [&](int shift) { return std::pow((colour >> shift & 255) / 255.0, 2.2); };
    return 0.2126 * linear(0) + 0.7152 * linear(8) + 0.0722 * linear(16);
}
int distance(uint32_t a, uint32_t b) {
    int sum = 0;
    for (int shift : {0, 8, 16}) sum += std::abs(int(a >> shift & 255) - int(b >> shift & 255));
    return sum;
}

TEST(Colour, grey_has_no_chroma_and_the_ends_are_black_and_white) {
    EXPECT_EQ(colour_from(0, 0, 0), rgba(0, 0, 0));
    EXPECT_EQ(colour_from(1, 0, 0), rgba(255, 255, 255));
    const uint32_t grey = colour_from(0.6, 0, 123);
    EXPECT_LE(distance(grey, rgba(grey & 255, grey & 255, grey & 255)), 2);
}

TEST(Colour, red_is_where_oklab_has_it) {
    EXPECT_LE(distance(colour_from(0.62796, 0.25768, 29.2339), rgba(255, 0, 0)), 6);
}

TEST(Colour, classes_are_bright_enough_for_dark_text_and_unlike_their_neighbours) {
    for (uint32_t id = 0; id < 1000; ++id) {
        EXPECT_GT(luminance(class_colour(id)), 0.2) << id;
        for (uint32_t other = id + 1; other < id + 5; ++other)
            EXPECT_GT(distance(class_colour(id), class_colour(other)), 60) << id << " " << other;
        EXPECT_EQ(class_colour(id) >> 24, 255u);
    }
}

TEST(Colour, heat_grows_lighter_and_more_opaque_without_a_step_back) {
    const auto colours = heat_colours();
    EXPECT_EQ(colours[0] >> 24, 0u) << "no heat, no colour";
    EXPECT_EQ(colours[255] >> 24, 255u);
    EXPECT_GT(luminance(colours[255]), 0.75);
    for (size_t i = 1; i < colours.size(); ++i) {
        EXPECT_GT(luminance(colours[i]), luminance(colours[i - 1]) - 0.002) << i;
        EXPECT_GE(colours[i] >> 24, colours[i - 1] >> 24) << i;
        EXPECT_LT(distance(colours[i], colours[i - 1]), 24) << i << ": no jump";
    }
}

}  // namespace
}  // namespace saccade
