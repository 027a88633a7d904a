#include "app/sources/screen/desktop.h"

#include <cstdlib>

#include "tests/app/live/window/display.h"
#include "tests/app/sources/frames.h"
#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

TEST(Desktop, shows_what_is_on_the_screen_and_parts_of_it) {
    const TestDisplay display(320, 200);
    ::setenv("DISPLAY", display.name().c_str(), 1);
    Desktop all("screen:", {.rate = 100});
    EXPECT_TRUE(all.traits().live);
    for (uint64_t i = 0; i < 2; ++i) {
        const std::optional<Shot> shot = next_shot(all);
        ASSERT_TRUE(shot);
        EXPECT_EQ(shot->info.index, i);
        EXPECT_EQ(shot->info.size, (Size{320, 200}));
        const Screenshot seen = display.screenshot();
        for (int x : {5, 100, 300}) {
            const cv::Vec3b pixel = shot->pixels.at<cv::Vec3b>(50, x);
            EXPECT_EQ(uint32_t(pixel[2] << 16 | pixel[1] << 8 | pixel[0]),
                      seen.at(uint32_t(x), 50));
        }
    }
    Desktop part("screen:100x80+300+10", {.rate = 100});
    EXPECT_EQ(next_shot(part)->info.size, (Size{20, 80})) << "as far as the screen goes";
    ::unsetenv("DISPLAY");
}

TEST(Desktop, without_a_display_or_with_a_wrong_part_there_is_one_line) {
    ::unsetenv("DISPLAY");
    ::unsetenv("WAYLAND_DISPLAY");
    expect_says(error_of([] { Desktop("screen:", {}); }), "DISPLAY");
    for (const char* text : {"screen:all", "screen:10x10", "screen:0x5+0+0", "screen:5x5+0+0x"})
        expect_says(error_of([&] { Desktop::part_of(text); }), "WIDTHxHEIGHT+LEFT+TOP");
}

}  // namespace
}  // namespace saccade
