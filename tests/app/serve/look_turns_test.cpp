#include "app/serve/look_turns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace saccade {
namespace {

using namespace std::chrono_literals;
using Clock = LookTurns::Clock;

constexpr Clock::time_point began{1000s};

RemoteLook look(uint32_t viewer, uint32_t layer = 0) {
    return {.viewer = viewer, .attention = {.mode = AttentionMode::mean, .layer = layer}};
}

// Looks at frames as the loop would show them.
class LookTurnsTest : public ::testing::Test {
protected:
    // A frame whose maps cost each viewer what `cost_of` says. Returns whose were due.
    std::vector<uint32_t> frame(bool frozen = false) {
        const std::vector<RemoteLook> looks = turns.choose(wanted, frozen, changes, now);
        std::vector<uint32_t> due;
        std::vector<MapOnHost> maps;
        for (const RemoteLook& one : looks) {
            if (!one.due) continue;
            due.push_back(one.viewer);
            MapOnHost& map = maps.emplace_back();
            map.whose = one.viewer;
            map.version = one.version;
            map.layer = one.attention.layer;
            map.ms = cost_of[one.viewer];
            spent += map.ms;
        }
        turns.take(maps, frozen, earned_ms);
        now += 100ms;
        return due;
    }

    ChangeQueue changes{began};
    LookTurns turns;
    Clock::time_point now = began;
    std::vector<RemoteLook> wanted;
    std::map<uint32_t, double> cost_of;
    double earned_ms = 4, spent = 0;
};

TEST_F(LookTurnsTest, every_viewer_has_its_map_with_every_frame_while_there_is_time) {
    frame();  // before the first frame it is not known what time there is
    wanted = {look(1), look(2)};
    cost_of = {{1, 1}, {2, 2}};
    for (int i = 0; i < 20; ++i) EXPECT_EQ(frame(), (std::vector<uint32_t>{1, 2}));
}

TEST_F(LookTurnsTest, costly_maps_take_no_more_than_their_share_and_are_computed_in_turns) {
    for (uint32_t viewer = 1; viewer <= 16; ++viewer) {
        wanted.push_back(look(viewer));
        cost_of[viewer] = viewer == 16 ? 12 : 1.5;
    }
    std::map<uint32_t, int> count;
    for (int i = 0; i < 400; ++i)
        for (const uint32_t viewer : frame()) ++count[viewer];
    EXPECT_LE(spent, 400 * earned_ms + 16);
    EXPECT_GE(spent, 0.8 * 400 * earned_ms) << "it is used, though";
    for (uint32_t viewer = 2; viewer <= 15; ++viewer)
        EXPECT_NEAR(count[viewer], count[1], 2) << viewer;
    EXPECT_NEAR(count[16] * 12, count[1] * 1.5, 13) << "who wants more has it more seldom";
    EXPECT_EQ(turns.maps().size(), 16u) << "the others have those of earlier frames";
}

TEST_F(LookTurnsTest, no_more_than_four_frames_are_saved_up) {
    for (int i = 0; i < 100; ++i) frame();
    for (uint32_t viewer = 1; viewer <= 8; ++viewer) {
        wanted.push_back(look(viewer));
        cost_of[viewer] = 4;
    }
    for (int i = 0; i < 10; ++i) frame();
    EXPECT_LE(spent, 4 * earned_ms + 10 * earned_ms + 8 * 4) << "the first are of unknown cost";
}

TEST_F(LookTurnsTest, at_most_eight_maps_come_with_a_frame) {
    earned_ms = 1000;
    for (uint32_t viewer = 1; viewer <= 20; ++viewer) wanted.push_back(look(viewer));
    frame();
    EXPECT_EQ(frame().size(), 8u);
}

TEST_F(LookTurnsTest, one_who_comes_later_does_not_have_all_turns) {
    earned_ms = 1;
    wanted = {look(1)};
    cost_of = {{1, 1}, {2, 1}};
    for (int i = 0; i < 50; ++i) frame();
    wanted.push_back(look(2));
    std::map<uint32_t, int> count;
    for (int i = 0; i < 20; ++i)
        for (const uint32_t viewer : frame()) ++count[viewer];
    EXPECT_GE(count[1], 8);
    EXPECT_GE(count[2], 8);
    // Nor does one who looks away in between.
    for (int i = 0; i < 40; ++i) {
        wanted = i % 2 ? std::vector{look(1)} : std::vector{look(1), look(2)};
        for (const uint32_t viewer : frame()) ++count[viewer];
    }
    EXPECT_GE(count[1], 25);
}

TEST_F(LookTurnsTest, a_map_is_gone_with_its_viewer_and_with_its_models) {
    earned_ms = 100;
    wanted = {look(1), look(2)};
    frame();
    frame();
    EXPECT_EQ(turns.maps().size(), 2u);
    wanted = {look(2)};
    frame();
    ASSERT_EQ(turns.maps().size(), 1u);
    EXPECT_EQ(turns.maps()[0].whose, 2u);
    turns.forget_maps();
    EXPECT_TRUE(turns.maps().empty());
}

TEST_F(LookTurnsTest, other_layers_are_a_change_that_waits_for_the_loop) {
    earned_ms = 100;
    frame();
    int layers = 0;
    uint32_t last = 1000;
    for (uint32_t i = 0; i < 100; ++i) {
        now -= 100ms;  // all in the same moment
        wanted = {look(1, i)};
        const std::vector<RemoteLook> looks = turns.choose(wanted, false, changes, now);
        ASSERT_EQ(looks.size(), 1u);
        layers += std::exchange(last, looks[0].attention.layer) != looks[0].attention.layer;
        frame();
    }
    EXPECT_NEAR(layers, 60, 1);
    now += 1s;
    // A point of the same layer waits for nothing, nor does a layer that another viewer looks at.
    wanted = {look(1, last), look(2, last)};
    wanted[0].target.point = wanted[1].target.point = glm::vec2(3, 4);
    frame();
    wanted[0].target.point = glm::vec2(5, 6);
    const std::vector<RemoteLook> looks = turns.choose(wanted, false, changes, now);
    EXPECT_EQ(looks[0].target.point, glm::vec2(5, 6));
}

TEST_F(LookTurnsTest, whoever_has_changed_its_layers_least_lately_is_next) {
    earned_ms = 100;
    for (uint32_t i = 0; i < 60; ++i) {
        wanted = {look(1, i), look(2, 100)};
        turns.choose(wanted, false, changes, began);
    }
    wanted = {look(1, 60), look(2, 200)};
    std::vector<RemoteLook> looks;
    for (auto at = began; looks.empty() || looks[1].attention.layer == 100; at += 10ms) {
        ASSERT_LE(at - began, 1100ms);
        looks = turns.choose(wanted, false, changes, at);
    }
    EXPECT_NE(looks[0].attention.layer, 60u);
}

TEST_F(LookTurnsTest, a_frame_that_stands_still_is_drawn_again_until_all_maps_are_of_it) {
    frame();
    earned_ms = 0;  // no time passes for it
    for (uint32_t viewer = 1; viewer <= 12; ++viewer) wanted.push_back(look(viewer));
    EXPECT_EQ(frame(true).size(), 8u);
    EXPECT_EQ(frame(true).size(), 4u);
    const std::vector<RemoteLook> done = turns.choose(wanted, true, changes, now);
    EXPECT_EQ(turns.choose(wanted, true, changes, now), done) << "nothing draws it again";
    wanted[3].target.point = glm::vec2(1, 2);
    EXPECT_EQ(frame(true), std::vector<uint32_t>{4});
    EXPECT_EQ(turns.maps().size(), 12u);
    // Another frame that stands still: no map is of it yet.
    turns.take({}, false, 0);
    EXPECT_EQ(frame(true).size(), 8u);
}

TEST_F(LookTurnsTest, a_word_is_a_target_for_twenty_seconds) {
    earned_ms = 100;
    wanted = {look(1)};
    wanted[0].target.word = 2;
    EXPECT_TRUE(turns.choose(wanted, false, changes, began)[0].target.word);
    EXPECT_TRUE(turns.choose(wanted, false, changes, began + 19s)[0].target.word);
    EXPECT_TRUE(turns.choose(wanted, true, changes, began + 21s)[0].target.word)
        << "a frozen caption stays";
    EXPECT_FALSE(turns.choose(wanted, false, changes, began + 21s)[0].target.word);
}

TEST(EarnedTest, is_a_part_of_a_frames_time_and_of_the_time_between_frames) {
    FrameResult result;
    result.ms = {{"decode", 100}, {"upload", 2}, {"detector", 90}, {"attention", 50}, {"draw", 8}};
    Status status;
    EXPECT_DOUBLE_EQ(LookTurns::earned_ms(result, status), 8);
    status.frames_per_second = 5;
    status.gpu_idle = 0.25;
    EXPECT_DOUBLE_EQ(LookTurns::earned_ms(result, status), 8 + 25);
}

}  // namespace
}  // namespace saccade
