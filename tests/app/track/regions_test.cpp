#include "app/track/regions.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "app/track/region_counter.h"
#include "gpu/core/error.h"

namespace saccade {
namespace {

Regions from(const char* text) {
    return regions_from(nlohmann::ordered_json::parse(text), "zones.json");
}

constexpr const char* door = R"({"lines": [{"name": "door", "from": [100, 50], "to": [100, 150],
                                            "point": "middle"}]})";
constexpr const char* yard = R"({"zones": [{"name": "yard", "point": "middle",
    "corners": [[100, 100], [300, 100], [300, 300], [100, 300]]}]})";

TEST(RegionsTest, come_from_a_file_and_go_back_into_one) {
    const Regions regions = from(R"({"size": [640, 480],
        "lines": [{"name": "door", "from": [1, 2], "to": [3, 4.5]}],
        "zones": [{"name": "yard", "corners": [[0, 0], [9, 0], [9, 9]], "point": "top"}]})");
    EXPECT_EQ(regions.size, (Size{640, 480}));
    ASSERT_EQ(regions.all.size(), 2u);
    EXPECT_EQ(regions.all[0].anchor, Anchor::bottom);
    EXPECT_EQ(regions.all[1].anchor, Anchor::top);
    EXPECT_EQ(regions_from(json_of(regions), "again"), regions);
}

TEST(RegionsTest, that_are_wrong_are_refused_in_one_line) {
    for (const auto& [text, says] : std::vector<std::pair<const char*, const char*>>{
             {"[]", "no JSON object"},
             {"{}", "neither"},
             {R"({"lnes": []})", "lnes"},
             {R"({"lines": 5})", "no list"},
             {R"({"lines": [{"from": [0, 0], "to": [1, 1]}]})", "name"},
             {R"({"lines": [{"name": "a", "from": [0, 0]}]})", "to"},
             {R"({"lines": [{"name": "two\nlines", "from": [0, 0]}]})", R"(two\u000alines)"},
             {R"({"lines": [{"name": "a", "from": [0, 0], "to": [0, 0]}]})", "length"},
             {R"({"lines": [{"name": "a", "from": [0, 0], "to": ["x", 0]}]})", "no point"},
             {R"({"lines": [{"name": "a", "from": [0, 0], "to": [9, 0], "point": "left"}]})",
              "bottom, middle or top"},
             {R"({"zones": [{"name": "a", "corners": [[0, 0], [1, 1]]}]})", "three"},
             {R"({"zones": [{"name": "a", "corners": [[0, 0], [1, 1], [1, 0]], "from": 1}]})",
              "from"},
             {R"({"lines": [{"name": "a", "from": [0, 0], "to": [9, 0]}],
                  "zones": [{"name": "a", "corners": [[0, 0], [1, 1], [1, 0]]}]})",
              "two have the name"}})
        try {
            from(text);
            ADD_FAILURE() << text << " was taken";
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
            EXPECT_NE(std::string(error.what()).find("zones.json"), std::string::npos);
            EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
        }
}

TEST(RegionsTest, a_line_is_crossed_between_its_ends_alone) {
    const Region line = from(door).all[0];
    EXPECT_TRUE(crosses(line, {90, 100}, {110, 100}));
    EXPECT_TRUE(crosses(line, {110, 60}, {0, 60}));
    EXPECT_FALSE(crosses(line, {90, 100}, {99, 100}));
    EXPECT_FALSE(crosses(line, {90, 40}, {110, 40})) << "above its end";
    EXPECT_FALSE(crosses(line, {90, 160}, {110, 160})) << "below its other end";
    EXPECT_GT(side_of(line, {90, 100}), 0) << "on the right of who goes down";
    EXPECT_FLOAT_EQ(side_of(line, {130, 0}), -30);
}

TEST(RegionsTest, a_zone_has_any_shape) {
    const Region ell = from(R"({"zones": [{"name": "L", "corners":
        [[0, 0], [10, 0], [10, 20], [30, 20], [30, 30], [0, 30]]}]})")
                           .all[0];
    EXPECT_FLOAT_EQ(depth_in(ell, {5, 10}), 5);
    EXPECT_FLOAT_EQ(depth_in(ell, {20, 26}), 4);
    EXPECT_FLOAT_EQ(depth_in(ell, {20, 10}), -10);
    EXPECT_FLOAT_EQ(depth_in(ell, {-3, 10}), -3);
}

TEST(RegionsTest, which_point_of_a_box_counts_can_be_chosen) {
    const Rectangle box(10, 20, 30, 60);
    EXPECT_EQ(point_of(box, Anchor::bottom), (glm::vec2{20, 60}));
    EXPECT_EQ(point_of(box, Anchor::middle), (glm::vec2{20, 40}));
    EXPECT_EQ(point_of(box, Anchor::top), (glm::vec2{20, 20}));
}

// An object of 20 x 20 around these points, one per frame, at ten frames a second.
TrackSeen at(glm::vec2 place, uint32_t track = 1, uint32_t label = 0, float score = 0.9f) {
    return {track, label, score, {place - 10.0f, place + 10.0f}};
}
struct Walk {
    explicit Walk(const char* text) : counter(from(text)) {}
    void see(const std::vector<TrackSeen>& tracks) {
        counter.step(0.1 * static_cast<double>(frame), frame, {640, 480}, tracks);
        ++frame;
        events.insert(events.end(), counter.events().begin(), counter.events().end());
    }
    RegionCounts::OfClass sum() const {
        RegionCounts::OfClass all;
        for (const auto& of : counter.counts()[0].classes) {
            all.in += of.in;
            all.out += of.out;
            all.inside += of.inside;
        }
        return all;
    }
    RegionCounter counter;
    uint64_t frame = 0;
    std::vector<RegionEvent> events;
};

TEST(RegionCounters, count_a_crossing_once_in_its_direction) {
    Walk walk(door);
    for (float x = 60; x <= 140; x += 5) walk.see({at({x, 100})});
    EXPECT_EQ(walk.sum().out, 1u);
    EXPECT_EQ(walk.sum().in, 0u);
    for (float x = 140; x >= 60; x -= 5) walk.see({at({x, 100})});
    EXPECT_EQ(walk.sum().out, 1u);
    EXPECT_EQ(walk.sum().in, 1u);
    ASSERT_EQ(walk.events.size(), 2u);
    EXPECT_FALSE(walk.events[0].in);
    EXPECT_TRUE(walk.events[1].in);
    EXPECT_GT(walk.events[1].time, walk.events[0].time);
}

TEST(RegionCounters, count_a_jump_over_a_line_once) {
    Walk walk(door);
    walk.see({at({20, 100})});
    walk.see({});  // hidden while it jumps
    walk.see({at({400, 100})});
    walk.see({at({420, 100})});
    EXPECT_EQ(walk.sum().out, 1u);
    walk.see({at({20, 300})});  // back, below the line's end
    EXPECT_EQ(walk.sum().in, 0u);
}

TEST(RegionCounters, know_who_is_found_at_the_last_moment) {
    Walk walk(door);
    walk.see({at({20, 100})});
    for (int i = 0; i < 15; ++i) walk.see({});  // as long as trackers wait
    walk.see({at({400, 100})});
    EXPECT_EQ(walk.sum().out, 1u);
}

TEST(RegionCounters, count_nothing_where_a_thing_trembles_on_the_line) {
    Walk walk(door);
    for (float x = 60; x < 99; x += 5) walk.see({at({x, 100})});
    for (int i = 0; i < 50; ++i) walk.see({at({100 + (i % 2 ? 0.7f : -0.7f), 100})});
    EXPECT_EQ(walk.sum().in + walk.sum().out, 0u);
    walk.see({at({120, 100})});
    EXPECT_EQ(walk.sum().out, 1u);
}

TEST(RegionCounters, know_a_track_from_before_it_had_a_number) {
    Walk walk(door);
    walk.see({at({88, 100}, 0)});
    walk.see({at({92, 100}, 1)});
    for (float x = 96; x < 120; x += 4) walk.see({at({x, 100}, 1)});
    EXPECT_EQ(walk.sum().out, 1u);
    Walk late(door);  // seen for the first time when it is too near to tell
    for (float x = 92; x < 120; x += 4) late.see({at({x, 100}, 1)});
    EXPECT_EQ(late.sum().out, 0u);
}

TEST(RegionCounters, know_it_by_an_overlap_of_a_fifth_and_by_its_class) {
    // Whether a detection without a number at `before` is the track that is first seen on the line.
    auto is_same = [](float before, uint32_t label) {
        Walk walk(door);
        walk.see({at({before, 100}, 0, label)});
        for (float x = 100; x < 125; x += 4) walk.see({at({x, 100}, 1, 3)});
        return walk.sum().out == 1;
    };
    EXPECT_TRUE(is_same(88, 3)) << "IoU 0.25";
    EXPECT_FALSE(is_same(85, 3)) << "IoU 0.14";
    EXPECT_FALSE(is_same(88, 4));
    Walk walk(door);  // of two, the one that overlaps more: it comes from beyond the line
    walk.see({at({112, 100}, 0), at({87, 100}, 0)});
    for (float x = 101; x < 125; x += 4) walk.see({at({x, 100}, 1)});
    EXPECT_EQ(walk.sum().out, 0u);
}

TEST(RegionCounters, do_not_know_it_after_a_while_or_when_the_source_has_begun_again) {
    for (const bool again : {false, true}) {
        Walk walk(door);
        walk.see({});
        walk.see({at({88, 100}, 0)});
        if (again) walk.frame = 0;
        for (int i = 0; i < 5 && !again; ++i) walk.see({});
        for (float x = 100; x < 125; x += 4) walk.see({at({x, 100}, 1)});
        EXPECT_EQ(walk.sum().out, 0u) << again;
    }
}

TEST(RegionCounters, know_that_what_comes_in_over_the_edge_was_outside) {
    Walk walk(R"({"lines": [{"name": "door", "from": [14, 0], "to": [14, 480],
                             "point": "middle"}]})");
    for (float x = 8; x < 40; x += 4) walk.see({at({x, 100})});
    EXPECT_EQ(walk.sum().out, 1u);
    for (float x = 40; x > 3; x -= 4) walk.see({at({x, 100})});
    EXPECT_EQ(walk.sum().in, 1u) << "there is no more room beyond";
}

TEST(RegionCounters, count_what_has_passed_behind_something_once) {
    const TrackSeen wall{9, 5, 0.9f, {60, 50, 160, 150}};
    Walk walk(door);
    for (float x = 165; x < 300; x += 6) walk.see({wall, at({x, 100}, 2)});
    EXPECT_EQ(walk.sum().out, 1u);
    Walk still(door);
    for (int i = 0; i < 20; ++i) still.see({wall, at({165, 100}, 2)});
    EXPECT_EQ(still.sum().out, 0u) << "it may always have been there";
}

TEST(RegionCounters, do_not_take_one_track_for_another) {
    Walk walk(door);
    walk.see({at({60, 100}, 1), at({140, 100}, 2)});
    walk.see({at({140, 100}, 2), at({60, 100}, 1)});
    EXPECT_EQ(walk.sum().in + walk.sum().out, 0u);
}

TEST(RegionCounters, count_by_the_class_that_a_track_was_called_most) {
    Walk walk(door);
    for (int i = 0; i < 5; ++i) walk.see({at({60, 100}, 1, 7)});
    walk.see({at({140, 100}, 1, 8)});  // another class for a moment
    ASSERT_EQ(walk.counter.counts()[0].classes.size(), 1u);
    EXPECT_EQ(walk.counter.counts()[0].classes[0].id, 7u);
}

TEST(RegionCounters, know_who_is_in_a_zone_and_for_how_long) {
    Walk walk(yard);
    walk.see({at({50, 200}, 1), at({200, 200}, 2)});
    EXPECT_EQ(walk.sum().inside, 1u) << "one has appeared there";
    for (int i = 0; i < 10; ++i) walk.see({at({150, 200}, 1), at({200, 200}, 2)});
    EXPECT_EQ(walk.sum().inside, 2u);
    walk.see({at({50, 200}, 1), at({200, 200}, 2)});
    EXPECT_EQ(walk.sum().inside, 1u);
    EXPECT_EQ(walk.sum().in, 2u);
    EXPECT_EQ(walk.sum().out, 1u);
    EXPECT_EQ(walk.events.back().track, 1u);
    EXPECT_NEAR(walk.events.back().seconds, 1.0, 1e-9);
    const std::vector<Stays> stays = walk.counter.stays(0);
    ASSERT_EQ(stays.size(), 1u);
    EXPECT_EQ(stays[0].most, 2u);
    EXPECT_NEAR(stays[0].seconds, 1.0 + 1.1, 1e-9) << "of who has left and who is there";
    EXPECT_NEAR(stays[0].longest, 1.1, 1e-9);
}

TEST(RegionCounters, count_nothing_where_a_thing_trembles_at_a_zones_edge) {
    Walk walk(yard);
    walk.see({at({50, 200})});
    for (int i = 0; i < 50; ++i) walk.see({at({100 + (i % 2 ? 5.0f : -5.0f), 200})});
    EXPECT_EQ(walk.sum().in + walk.sum().out, 0u);
    walk.see({at({110, 200})});
    EXPECT_EQ(walk.sum().in, 1u);
}

TEST(RegionCounters, let_leave_a_zone_in_the_class_in_which_it_was_entered) {
    Walk walk(yard);
    walk.see({at({50, 200}, 1, 7)});
    walk.see({at({200, 200}, 1, 7)});
    for (int i = 0; i < 9; ++i) walk.see({at({200, 200}, 1, 8)});
    walk.see({at({50, 200}, 1, 8)});
    const auto& classes = walk.counter.counts()[0].classes;
    ASSERT_EQ(classes.size(), 1u);
    EXPECT_EQ(classes[0].id, 7u);
    EXPECT_EQ(classes[0].in, 1u);
    EXPECT_EQ(classes[0].out, 1u);
}

TEST(RegionCounters, let_who_vanishes_in_a_zone_leave_it) {
    Walk walk(yard);
    for (int i = 0; i < 5; ++i) walk.see({at({200, 200})});
    for (int i = 0; i < 12; ++i) walk.see({});
    EXPECT_EQ(walk.sum().inside, 1u) << "it may be hidden";
    for (int i = 0; i < 12; ++i) walk.see({});
    EXPECT_EQ(walk.sum().inside, 0u);
    EXPECT_EQ(walk.sum().out, 1u);
    EXPECT_NEAR(walk.events.back().time, 0.4, 1e-9) << "when it was seen last";
}

TEST(RegionCounters, go_on_where_others_are_drawn) {
    Walk walk(yard);
    for (int i = 0; i < 3; ++i) walk.see({at({200, 200})});
    EXPECT_EQ(walk.sum().inside, 1u);
    Regions more = from(yard);
    more.all[0].name = "garden";
    more.all.insert(more.all.begin(), from(door).all[0]);
    RegionCounter counter(more, walk.counter);
    counter.step(0.3, 3, {640, 480}, std::vector{at({200, 200})});
    ASSERT_EQ(counter.counts()[1].classes.size(), 1u);
    EXPECT_EQ(counter.counts()[1].name, "garden");
    EXPECT_EQ(counter.counts()[1].classes[0].in, 1u) << "it was inside before";
    counter.step(0.4, 4, {640, 480}, std::vector{at({20, 400})});
    EXPECT_EQ(counter.counts()[1].classes[0].out, 1u);
    EXPECT_NEAR(counter.stays(1)[0].seconds, 0.4, 1e-9);
}

TEST(RegionCounters, fit_what_was_drawn_on_a_picture_of_another_size) {
    Walk walk(R"({"size": [320, 240], "lines": [{"name": "door", "from": [50, 0], "to": [50, 240],
                                                "point": "middle"}]})");
    walk.see({at({60, 100})});
    walk.see({at({90, 100})});  // the line is at 100
    EXPECT_EQ(walk.sum().out, 0u);
    walk.see({at({110, 100})});
    EXPECT_EQ(walk.sum().out, 1u);
}

TEST(RegionCounters, know_it_after_it_was_missed_for_a_frame) {
    Walk walk(door);
    walk.see({at({88, 100}, 0)});
    walk.see({});
    for (float x = 100; x < 125; x += 4) walk.see({at({x, 100}, 1)});
    EXPECT_EQ(walk.sum().out, 1u);
}

TEST(RegionCounters, do_not_take_a_neighbour_for_what_something_was_hidden_behind) {
    const TrackSeen wall{9, 5, 0.9f, {60, 50, 155.4f, 150}};  // covers 2 % of it
    Walk walk(door);
    for (float x = 165; x < 300; x += 6) walk.see({wall, at({x, 100}, 2)});
    EXPECT_EQ(walk.sum().out, 0u);
}

TEST(RegionCounters, count_a_crossing_once_though_it_began_behind_something) {
    const TrackSeen wall{9, 5, 0.9f, {40, 50, 92, 150}};
    Walk walk(door);
    for (float x = 88; x < 300; x += 12) walk.see({wall, at({x, 100}, 2)});
    EXPECT_EQ(walk.sum().out, 1u);
}

TEST(RegionCounters, begin_anew_where_the_same_is_drawn_on_a_picture_of_another_size) {
    Walk walk(yard);
    for (int i = 0; i < 3; ++i) walk.see({at({200, 200})});
    EXPECT_EQ(walk.sum().inside, 1u);
    Regions other = from(yard);
    other.size = Size{320, 240};
    const RegionCounter counter(other, walk.counter);
    EXPECT_TRUE(counter.counts()[0].classes.empty());
}

}  // namespace
}  // namespace saccade
