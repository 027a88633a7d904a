#include "app/serve/live_viewers.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

TEST(LiveViewersTest, cameras_are_offered_without_their_secrets_and_told_apart) {
    Wishes wishes;
    wishes.source = "http://a:b@camera/";
    const Offered offered =
        Offered::at_start(wishes, {"0", "http://a:c@camera/", "http://a:b@camera/"});
    ASSERT_EQ(offered.sources.size(), 3u) << "one was named twice";
    EXPECT_EQ(offered.sources[0].first, "http://camera/");
    EXPECT_EQ(offered.sources[0].second, "http://a:b@camera/");
    EXPECT_EQ(offered.sources[2].first, "http://camera/ (2)");
    EXPECT_EQ(offered.sources[2].second, "http://a:c@camera/");
}

TEST(LiveViewersTest, only_what_is_offered_can_be_wished_for) {
    Exchange exchange([] {});
    Events events;
    Wishes wishes;
    wishes.source = "synth:";
    const TempFolder temp;
    std::filesystem::create_directory(temp / "mine");
    const std::string mine = (temp / "mine").string();
    wishes.detector = mine;
    LiveViewers viewers(exchange, Offered::at_start(wishes, {"other.mp4"}), {});
    exchange.wish({.detector = "/etc", .source = "/etc/passwd"});
    viewers.add_wishes(wishes, events);
    EXPECT_EQ(wishes.source, "synth:");
    EXPECT_EQ(wishes.detector, mine);
    exchange.wish({.detector = "none",
                   .source = "other.mp4",
                   .threshold = 0.25f,
                   .switches = {{"frozen", true}}});
    viewers.add_wishes(wishes, events);
    EXPECT_EQ(wishes.source, "other.mp4");
    EXPECT_EQ(wishes.detector, "none");
    EXPECT_EQ(wishes.look.filter.threshold, 0.25f);
    EXPECT_TRUE(wishes.frozen);
    EXPECT_TRUE(events.empty());
    exchange.wish({.seek = 7});
    viewers.add_wishes(wishes, events);
    const std::vector<Seek> seeks = events.take<Seek>();
    ASSERT_EQ(seeks.size(), 1u);
    EXPECT_EQ(seeks[0].frame, 7u);
    exchange.wish({.detector = "mine"});
    viewers.add_wishes(wishes, events);
    EXPECT_EQ(wishes.detector, mine) << "by its title";
}

TEST(LiveViewersTest, lines_that_are_drawn_belong_to_their_source_and_are_kept) {
    Exchange exchange([] {});
    Events events;
    const TempFolder temp;
    Wishes wishes;
    wishes.source = "synth:";
    const RegionStore store(temp / "zones");
    Regions door{.size = Size(640, 480), .all = {}};
    door.all.push_back({.name = "door", .corners = {{1, 2}, {3, 4}}});
    {
        LiveViewers viewers(exchange, Offered::at_start(wishes, {"other.mp4"}), {},
                            KeptRegions(store));
        viewers.add_wishes(wishes, events);
        exchange.wish({.switches = {{"track", true}}, .regions = door});
        viewers.add_wishes(wishes, events);
        EXPECT_TRUE(wishes.look.track);
        EXPECT_EQ(wishes.regions, door);
        exchange.wish({.source = "other.mp4"});
        viewers.add_wishes(wishes, events);
        EXPECT_EQ(wishes.regions, Regions());
        exchange.wish({.source = "synth:"});
        viewers.add_wishes(wishes, events);
        EXPECT_EQ(wishes.regions, door);
    }
    Wishes next_wishes;
    next_wishes.source = "synth:";
    LiveViewers viewers(exchange, Offered::at_start(next_wishes, {}), {}, KeptRegions(store));
    viewers.add_wishes(next_wishes, events);
    EXPECT_EQ(next_wishes.regions, door) << "in the next run";
    exchange.wish({.regions = Regions()});
    viewers.add_wishes(next_wishes, events);
    EXPECT_EQ(store.read("synth:"), Regions());
}

TEST(LiveViewersTest, prompts_change_at_a_limited_rate) {
    Exchange exchange([] {});
    Events events;
    Wishes wishes;
    wishes.prompts.like = {"mug.png"};
    LiveViewers viewers(exchange, {}, {});
    exchange.wish({.viewer = 1,
                   .find = "red mug",
                   .question = "What is it?",
                   .least_scores = {{"mug", 0.3f}}});
    viewers.add_wishes(wishes, events);
    EXPECT_EQ(wishes.prompts.find, "red mug");
    EXPECT_EQ(wishes.prompts.question, "What is it?");
    EXPECT_EQ(wishes.prompts.like, std::vector<std::string>{"mug.png"});
    EXPECT_EQ(wishes.look.filter.least_scores.at("mug"), 0.3f);
    std::set<std::string> encoded;
    for (int i = 0; i < 300; ++i) {
        exchange.wish({.viewer = 1, .find = std::to_string(i)});
        viewers.add_wishes(wishes, events);
        encoded.insert(wishes.prompts.find);
    }
    EXPECT_LE(encoded.size(), 65u) << "text is not encoded with every key that is pressed";
    EXPECT_EQ(wishes.prompts.question, "What is it?");
}

TEST(LiveViewersTest, heads_stay_off_until_they_are_put_back_or_their_model_is_another) {
    using Of = HeadOff::Of;
    const HeadOff one{Of::detector, 0, 1}, other{Of::classifier, 2, 0};
    Exchange exchange([] {});
    Events events;
    Wishes wishes;
    LiveViewers viewers(exchange, {}, {});
    const auto wish = [&](const SharedWish& what) {
        exchange.wish(what);
        viewers.add_wishes(wishes, events);
        return wishes.look.heads_off;
    };
    EXPECT_EQ(wish({.heads = {{one, true}, {other, true}}}), (HeadsOff{one, other}));
    EXPECT_EQ(wish({.threshold = 0.2f}), (HeadsOff{one, other}));
    EXPECT_EQ(wish({.heads = {{one, false}}}), HeadsOff{other});
    EXPECT_EQ(wish({.detector = "x"}), HeadsOff{other});
    EXPECT_EQ(wish({.classifier = "x"}), HeadsOff());
    EXPECT_EQ(wish({.heads = {{one, true}}}), HeadsOff{one});
    EXPECT_EQ(wish({.heads_on = true}), HeadsOff());
    std::map<HeadOff, bool> many;
    for (uint32_t i = 0; i < 5000; ++i) many[{Of::captioner, i / 1000, i % 1000}] = true;
    EXPECT_LE(wish({.heads = many}).size(), 4096u) << "no viewer fills the memory";
}

TEST(LiveViewersTest, a_frozen_picture_goes_on_at_once_when_the_server_says_so) {
    Exchange exchange([] {});
    Events events;
    Wishes wishes;
    LiveViewers viewers(exchange, {}, {});
    for (int i = 0; i < 101; ++i) {
        exchange.wish({.viewer = 1, .switches = {{"frozen", i % 2 == 0}}});
        viewers.add_wishes(wishes, events);
    }
    wishes.frozen = true;
    exchange.wish({.switches = {{"frozen", false}}});
    viewers.add_wishes(wishes, events);
    EXPECT_FALSE(wishes.frozen);
}

TEST(LiveViewersTest, outlines_of_masks_are_wanted_by_viewers_and_listeners) {
    Exchange exchange([] {});
    Events events;
    Wishes wishes;
    LiveViewers viewers(exchange, {}, {});
    viewers.add_wishes(wishes, events);
    EXPECT_FALSE(wishes.remote.outlines);
    exchange.want({.lines = true});
    viewers.add_wishes(wishes, events);
    EXPECT_TRUE(wishes.remote.outlines && !wishes.remote.planes);
    exchange.want({.watched = true});
    viewers.add_wishes(wishes, events);
    EXPECT_TRUE(wishes.remote.outlines && wishes.remote.planes);
}

TEST(LiveViewersTest, layers_change_at_a_limited_rate) {
    Exchange exchange([] {});
    Events events;
    Wishes wishes;
    LiveViewers viewers(exchange, {}, {});
    uint32_t changes = 0, last = 0;
    for (uint32_t layer = 0; layer < 100; ++layer) {
        exchange.want(
            {.looks = {{.viewer = 1, .attention = {.mode = AttentionMode::mean, .layer = layer}}}});
        viewers.add_wishes(wishes, events);
        ASSERT_EQ(wishes.remote.looks.size(), 1u);
        changes += wishes.remote.looks[0].attention.layer != last;
        last = wishes.remote.looks[0].attention.layer;
        std::this_thread::sleep_for(std::chrono::milliseconds(3));
    }
    EXPECT_LT(changes, 90u);
}

}  // namespace
}  // namespace saccade
