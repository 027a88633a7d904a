#include "app/serve/change_queue.h"

#include <gtest/gtest.h>

namespace saccade {
namespace {

using namespace std::chrono_literals;
using Clock = ChangeQueue::Clock;

constexpr Clock::time_point start{1000s};

SharedWish track(uint32_t viewer, bool on) {
    return {.viewer = viewer, .switches = {{"track", on}}};
}

TEST(UsualIntervalTest, is_the_middle_of_the_last_ones) {
    UsualInterval usual;
    EXPECT_EQ(usual.seconds(), 0);
    for (const double seconds : {0.1, 0.1, 5.0}) usual.add(seconds);
    EXPECT_EQ(usual.seconds(), 0.1);
    for (int i = 0; i < 8; ++i) usual.add(0.2);
    EXPECT_EQ(usual.seconds(), 0.2);
    for (int i = 0; i < 15; ++i) usual.add(0.3);
    EXPECT_EQ(usual.seconds(), 0.3);
}

TEST(LoopShareTest, is_spent_by_frames_that_come_late_after_a_change) {
    LoopShare share(0.1, 1, start);
    share.frame(9, 0.1);
    EXPECT_TRUE(share.allows(start)) << "that was no change";
    share.begin();
    EXPECT_TRUE(share.disturbed());
    share.frame(0.5, 0.1);  // 0.4 s late
    share.frame(0.05, 0.1);
    EXPECT_TRUE(share.allows(start)) << "0.55 s are left";
    share.frame(0.7, 0.1);  // 0.6 s
    EXPECT_FALSE(share.allows(start));
    EXPECT_FALSE(share.allows(start + 400ms));
    EXPECT_TRUE(share.allows(start + 600ms)) << "a tenth of the time is earned again";
}

TEST(LoopShareTest, a_change_is_over_after_some_frames_unless_it_goes_on) {
    LoopShare share(0.1, 1, start);
    share.begin();
    for (int i = 0; i < 6; ++i) {
        EXPECT_TRUE(share.disturbed()) << i;
        share.frame(0.1, 0.1);
    }
    EXPECT_FALSE(share.disturbed());
    share.begin();
    for (int i = 0; i < 20; ++i) {
        share.frame(0.1, 0.1);
        share.go_on();
    }
    EXPECT_TRUE(share.disturbed());
}

TEST(LoopShareTest, a_long_delay_is_owed_for_one_second_at_most) {
    LoopShare share(0.5, 1, start);
    share.begin();
    share.frame(100, 0.1);
    EXPECT_FALSE(share.allows(start + 1900ms));
    EXPECT_TRUE(share.allows(start + 2100ms));
}

TEST(LoopShareTest, no_more_is_saved_up_than_it_may_be) {
    LoopShare share(0.1, 1, start);
    const Clock::time_point later = start + 1000s;
    EXPECT_TRUE(share.allows(later));
    share.begin();
    share.frame(2, 0.1);
    EXPECT_FALSE(share.allows(later));
}

TEST(ChangeQueueTest, changes_that_cost_nothing_and_those_of_the_server_do_not_wait) {
    ChangeQueue queue(start);
    for (int i = 0; i < 100; ++i) {
        queue.add({.viewer = 1, .threshold = 0.25f});
        queue.add({.viewer = 1, .switches = {{"frozen", i % 2 == 0}}});
        queue.add({.switches = {{"track", false}}});
        EXPECT_EQ(queue.take(start).size(), 3u);
    }
    EXPECT_TRUE(queue.waiting().empty());
}

TEST(ChangeQueueTest, a_wish_is_taken_apart_by_what_it_costs) {
    ChangeQueue queue(start);
    queue.add({.viewer = 7,
               .detector = "none",
               .threshold = 0.5f,
               .switches = {{"track", true}},
               .seek = 3,
               .find = "a mug",
               .least_scores = {{"mug", 0.1f}}});
    const std::vector<SharedWish> due = queue.take(start);
    ASSERT_EQ(due.size(), 3u);
    EXPECT_EQ(due[0],
              (SharedWish{.viewer = 7, .threshold = 0.5f, .least_scores = {{"mug", 0.1f}}}));
    EXPECT_EQ(due[1], (SharedWish{.viewer = 7, .detector = "none", .find = "a mug"}));
    EXPECT_EQ(due[2], (SharedWish{.viewer = 7, .switches = {{"track", true}}, .seek = 3}));
}

TEST(ChangeQueueTest, heads_wait_like_other_changes_that_delay_frames_and_later_clicks_win) {
    using Of = HeadOff::Of;
    const HeadOff one{Of::detector, 0, 1}, other{Of::classifier, 2, 0};
    ChangeQueue queue(start);
    while (!queue.take(start).empty() || queue.may_change_maps(start)) continue;  // all is spent
    queue.add({.viewer = 7, .heads = {{one, true}}});
    queue.add({.viewer = 7, .heads_on = true, .heads = {{other, true}}});
    queue.add({.viewer = 7, .heads = {{other, false}}});
    EXPECT_TRUE(queue.take(start).empty());
    EXPECT_EQ(queue.waiting(), std::vector<uint32_t>{7});
    std::vector<SharedWish> due;
    for (auto now = start; due.empty(); now += 100ms) due = queue.take(now);
    EXPECT_EQ(
        due, (std::vector<SharedWish>{{.viewer = 7, .heads_on = true, .heads = {{other, false}}}}));
}

TEST(ChangeQueueTest, viewers_who_change_something_all_the_time_change_little) {
    ChangeQueue queue(start);
    int done = 0;
    for (int ms = 0; ms < 60'000; ms += 10) {
        for (uint32_t viewer = 1; viewer <= 16; ++viewer) queue.add(track(viewer, ms % 20));
        done += int(queue.take(start + std::chrono::milliseconds(ms)).size());
    }
    EXPECT_GE(done, 180);
    EXPECT_LE(done, 60 + 180 + 2) << "as many as were saved up, and three a second";
}

TEST(ChangeQueueTest, a_viewer_who_changes_little_comes_first_and_its_last_wish_wins) {
    ChangeQueue queue(start);
    Clock::time_point now = start;
    for (int i = 0; i < 100; ++i)
        for (uint32_t viewer = 1; viewer <= 16; ++viewer) {
            queue.add(track(viewer, i % 2));
            queue.take(now);
        }
    EXPECT_EQ(queue.waiting().size(), 16u);
    queue.add(track(17, true));
    queue.add(track(17, false));
    std::vector<SharedWish> due;
    while (due.empty()) due = queue.take(now += 10ms);
    EXPECT_EQ(due, std::vector<SharedWish>{track(17, false)});
    EXPECT_LE(now - start, 1100ms);
}

TEST(ChangeQueueTest, models_that_delay_frames_are_changed_more_seldom) {
    for (const bool slow : {false, true}) {
        ChangeQueue queue(start);
        Clock::time_point now = start;
        auto frames = [&](int count, std::chrono::milliseconds each, bool loading) {
            for (int i = 0; i < count; ++i) queue.stepped(true, false, loading, now += each);
        };
        frames(20, 100ms, false);
        int done = 0;
        for (int i = 0; i < 100; ++i) {
            queue.add({.viewer = 1, .detector = "another"});
            const bool now_done = !queue.take(now).empty();
            done += now_done;
            frames(1, slow && now_done ? 1500ms : 100ms, now_done);
        }
        if (slow) {
            EXPECT_LE(done, 4);
        } else {
            EXPECT_GE(done, 20);
        }
    }
}

TEST(ChangeQueueTest, a_picture_that_stands_still_makes_no_frame_late) {
    ChangeQueue queue(start);
    Clock::time_point now = start;
    for (int i = 0; i < 20; ++i) queue.stepped(true, false, false, now += 100ms);
    queue.add(track(1, true));
    EXPECT_EQ(queue.take(now).size(), 1u);
    queue.stepped(false, true, false, now += 5s);  // less than a late frame would be owed for
    queue.stepped(true, false, false, now += 5s);
    queue.add(track(1, false));
    EXPECT_EQ(queue.take(now).size(), 1u);
}

TEST(ChangeQueueTest, nothing_waits_while_the_picture_stands_still) {
    ChangeQueue queue(start);
    while (queue.may_change_maps(start)) {
    }
    queue.stepped(false, true, false, start);
    queue.add(track(1, true));
    queue.add({.viewer = 1, .detector = "another"});
    EXPECT_EQ(queue.take(start).size(), 2u);
    for (int i = 0; i < 100; ++i) EXPECT_TRUE(queue.may_change_maps(start));
    queue.stepped(true, false, false, start);
    EXPECT_FALSE(queue.may_change_maps(start));
}

TEST(ChangeQueueTest, a_model_that_is_loaded_for_long_is_paid_for_all_the_while) {
    ChangeQueue queue(start);
    Clock::time_point now = start;
    for (int i = 0; i < 20; ++i) queue.stepped(true, false, false, now += 100ms);
    queue.add({.viewer = 1, .detector = "none"});
    EXPECT_EQ(queue.take(now).size(), 1u);
    queue.add({.viewer = 2, .detector = "none"});
    for (int i = 0; i < 100; ++i) {  // and its late frames do not become the usual ones
        queue.stepped(true, false, true, now += 1s);
        ASSERT_TRUE(i < 3 || queue.take(now).empty()) << i;
    }
}

TEST(ChangeQueueTest, regions_that_were_drawn_on_another_source_are_forgotten) {
    ChangeQueue queue(start);
    while (queue.may_change_maps(start)) {
    }
    queue.add(track(1, true));
    queue.add({.viewer = 1, .regions = Regions()});
    queue.forget_regions();
    std::vector<SharedWish> due;
    for (auto now = start; due.empty(); now += 10ms) due = queue.take(now);
    EXPECT_FALSE(due[0].regions);
    EXPECT_EQ(due[0].switches.size(), 1u);
}

TEST(ChangeQueueTest, changes_of_maps_share_the_loops_time_with_quick_ones) {
    ChangeQueue queue(start);
    int done = 0;
    while (done < 1000 && queue.may_change_maps(start)) ++done;
    EXPECT_NEAR(done, 60, 1);
    queue.add(track(1, true));
    EXPECT_TRUE(queue.take(start).empty());
    EXPECT_EQ(queue.waiting(), std::vector<uint32_t>{1});
    EXPECT_EQ(queue.take(start + 1100ms).size(), 1u);
}

}  // namespace
}  // namespace saccade
