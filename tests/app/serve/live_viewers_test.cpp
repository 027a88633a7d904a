#include "app/serve/live_viewers.h"

#include <gtest/gtest.h>

#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

TEST(LiveViewersTest, passwords_of_cameras_are_told_to_nobody) {
    LiveState state;
    state.source = "http://a:b@camera/";
    const Offered offered = Offered::at_start(state, {"0"});
    ASSERT_EQ(offered.sources.size(), 2u);
    EXPECT_EQ(offered.sources[0].first, "http://camera/");
    EXPECT_EQ(offered.sources[0].second, "http://a:b@camera/");
}

TEST(LiveViewersTest, only_what_is_offered_can_be_wished_for) {
    Exchange exchange([] {});
    LiveState state;
    state.source = "synth:";
    const TempFolder temp;
    std::filesystem::create_directory(temp / "mine");
    const std::string mine = (temp / "mine").string();
    state.detector = mine;
    LiveViewers viewers(exchange, Offered::at_start(state, {"other.mp4"}), {});
    exchange.wish({.detector = "/etc", .source = "/etc/passwd"});
    viewers.ask(state);
    EXPECT_EQ(state.source, "synth:");
    EXPECT_EQ(state.detector, mine);
    exchange.wish({.detector = "none", .source = "other.mp4", .threshold = 0.25f, .frozen = true});
    viewers.ask(state);
    EXPECT_EQ(state.source, "other.mp4");
    EXPECT_EQ(state.detector, "none");
    EXPECT_EQ(state.threshold, 0.25f);
    EXPECT_TRUE(state.frozen);
    exchange.wish({.detector = "mine"});
    viewers.ask(state);
    EXPECT_EQ(state.detector, mine) << "by its title";
}

TEST(LiveViewersTest, nobody_changes_layers_all_the_time) {
    Exchange exchange([] {});
    LiveState state;
    LiveViewers viewers(exchange, {}, {});
    uint32_t changes = 0, last = 0;
    for (uint32_t layer = 0; layer < 100; ++layer) {
        exchange.want(
            {.looks = {{.viewer = 1, .attention = {.mode = AttentionMode::mean, .layer = layer}}}});
        viewers.ask(state);
        ASSERT_EQ(state.looks.size(), 1u);
        changes += state.looks[0].attention.layer != last;
        last = state.looks[0].attention.layer;
        std::this_thread::sleep_for(std::chrono::milliseconds(3));
    }
    EXPECT_LT(changes, 30u);
}

}  // namespace
}  // namespace saccade
