#include "app/video/feed.h"

#include <gtest/gtest.h>

#include <thread>

#include "app/sources/video_file.h"
#include "tests/app/sources/frames.h"
#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

using namespace std::chrono_literals;

TEST(Feed, sends_a_stream_that_others_can_read) {
    const TempFolder temp;
    const std::string file = temp / "feed.ts";
    std::vector<uint8_t> bgr(size_t{65} * 48 * 3);
    for (size_t i = 0; i < bgr.size(); i += 3) bgr[i + 2] = 220;  // red
    {
        Feed feed(file);
        for (int i = 0; i < 20; ++i) {
            feed.show({bgr.data(), 65, 48, 195, true});
            std::this_thread::sleep_for(40ms);
        }
        EXPECT_FALSE(feed.trouble());
    }
    VideoFile video(file);
    EXPECT_EQ(video.traits().size, (Size{64, 48})) << "sides are even";
    const std::optional<Shot> shot = next_shot(video);
    ASSERT_TRUE(shot);
}

TEST(Feed, what_cannot_be_reached_is_told_in_one_line) {
    const std::vector<uint8_t> bgr(size_t{16} * 16 * 3, 90);
    for (const char* target : {"/dev/video-of-nobody", "/nowhere/at/all.ts"}) {
        Feed feed(target);
        feed.show({bgr.data(), 16, 16, 48, true});
        std::optional<std::string> trouble;
        for (int i = 0; i < 400 && !trouble; ++i) {
            std::this_thread::sleep_for(10ms);
            trouble = feed.trouble();
        }
        ASSERT_TRUE(trouble) << target;
        EXPECT_NE(trouble->find(target), std::string::npos) << *trouble;
    }
}

}  // namespace
}  // namespace saccade
