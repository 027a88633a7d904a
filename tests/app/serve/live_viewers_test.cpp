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

TEST(LiveViewersTest, lines_that_are_drawn_belong_to_their_source_and_are_kept) {
    Exchange exchange([] {});
    const TempFolder temp;
    LiveState state;
    state.source = "synth:";
    const RegionStore store(temp / "zones");
    Regions door{.size = Size(640, 480), .all = {}};
    door.all.push_back({.name = "door", .corners = {{1, 2}, {3, 4}}});
    {
        LiveViewers viewers(exchange, Offered::at_start(state, {"other.mp4"}), {}, store);
        viewers.ask(state);
        exchange.wish({.track = true, .regions = door});
        viewers.ask(state);
        EXPECT_TRUE(state.track);
        EXPECT_EQ(state.regions, door);
        exchange.wish({.source = "other.mp4"});
        viewers.ask(state);
        EXPECT_EQ(state.regions, Regions());
        exchange.wish({.source = "synth:"});
        viewers.ask(state);
        EXPECT_EQ(state.regions, door);
    }
    LiveState next;
    next.source = "synth:";
    LiveViewers viewers(exchange, Offered::at_start(next, {}), {}, store);
    viewers.ask(next);
    EXPECT_EQ(next.regions, door) << "in the next run";
    exchange.wish({.regions = Regions()});
    viewers.ask(next);
    EXPECT_EQ(store.read("synth:"), Regions());
}

TEST(LiveViewersTest, words_that_are_typed_are_told_and_not_all_the_time) {
    Exchange exchange([] {});
    LiveState state;
    state.words.like = {"mug.png"};
    LiveViewers viewers(exchange, {}, {});
    exchange.wish({.find = "red mug", .question = "What is it?", .least_scores = {{"mug", 0.3f}}});
    viewers.ask(state);
    EXPECT_EQ(state.words.find, "red mug");
    EXPECT_EQ(state.words.question, "What is it?");
    EXPECT_EQ(state.words.like, std::vector<std::string>{"mug.png"});
    EXPECT_EQ(state.least_scores.at("mug"), 0.3f);
    exchange.wish({.find = "a"});
    exchange.wish({.find = "b"});
    viewers.ask(state);
    EXPECT_EQ(state.words.find, "red mug") << "text is not encoded with every key that is pressed";
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    viewers.ask(state);
    EXPECT_EQ(state.words.find, "b");
    EXPECT_EQ(state.words.question, "What is it?");
}

TEST(LiveViewersTest, outlines_of_masks_are_asked_for_by_who_watches_or_listens) {
    Exchange exchange([] {});
    LiveState state;
    LiveViewers viewers(exchange, {}, {});
    viewers.ask(state);
    EXPECT_FALSE(state.outlines);
    exchange.want({.lines = true});
    viewers.ask(state);
    EXPECT_TRUE(state.outlines && !state.planes);
    exchange.want({.watched = true});
    viewers.ask(state);
    EXPECT_TRUE(state.outlines && state.planes);
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
