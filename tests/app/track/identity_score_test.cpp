#include "app/track/identity_score.h"

#include <gtest/gtest.h>

namespace saccade {
namespace {

// An object of 10 x 10 pixels.
NumberedBox at(uint64_t number, float left, float top = 0) {
    return {number, {left, top, left + 10, top + 10}};
}
using Boxes = std::vector<NumberedBox>;

TEST(IdentityScores, are_one_where_every_track_stays_on_its_object) {
    IdentityScore score;
    EXPECT_EQ(score.mota(), 1);
    EXPECT_EQ(score.idf1(), 1);
    for (int i = 0; i < 5; ++i) {
        const auto x = static_cast<float>(i);
        score.add(Boxes{at(1, x), at(2, 50 - x)}, Boxes{at(9, 50 - x), at(4, x)});
    }
    EXPECT_EQ(score.objects(), 10u);
    EXPECT_EQ(score.switches(), 0u);
    EXPECT_EQ(score.mota(), 1);
    EXPECT_EQ(score.idf1(), 1);
}

TEST(IdentityScores, a_track_that_gets_another_number_is_one_switch) {
    IdentityScore score;
    for (int i = 0; i < 10; ++i) score.add(Boxes{at(1, 0)}, Boxes{at(i < 6 ? 1 : 2, 0)});
    EXPECT_EQ(score.switches(), 1u);
    EXPECT_DOUBLE_EQ(score.mota(), 1 - 1.0 / 10);
    EXPECT_DOUBLE_EQ(score.idf1(), 2.0 * 6 / 20);  // the longer half is right
}

TEST(IdentityScores, two_tracks_that_change_places_are_two_switches) {
    IdentityScore score;
    for (int i = 0; i < 10; ++i) {
        const bool swapped = i >= 5;
        score.add(Boxes{at(1, 0), at(2, 50)},
                  Boxes{at(7, swapped ? 50 : 0), at(8, swapped ? 0 : 50)});
    }
    EXPECT_EQ(score.switches(), 2u);
    EXPECT_DOUBLE_EQ(score.mota(), 1 - 2.0 / 20);
    EXPECT_DOUBLE_EQ(score.idf1(), 2.0 * 10 / 40);
}

TEST(IdentityScores, what_is_missed_and_what_is_not_there_counts) {
    IdentityScore score;
    for (int i = 0; i < 10; ++i) {
        Boxes tracks;
        if (i < 8) tracks.push_back(at(1, 1));
        if (i < 3) tracks.push_back(at(2, 70));
        score.add(Boxes{at(1, 0)}, tracks);
    }
    EXPECT_EQ(score.missed(), 2u);
    EXPECT_EQ(score.wrong(), 3u);
    EXPECT_DOUBLE_EQ(score.mota(), 1 - 5.0 / 10);
    EXPECT_DOUBLE_EQ(score.idf1(), 2.0 * 8 / (10 + 11));
}

TEST(IdentityScores, a_gap_is_no_switch_if_the_number_is_the_same_behind_it) {
    IdentityScore same, other;
    for (int i = 0; i < 9; ++i) {
        const bool seen = i < 3 || i >= 6;
        same.add(Boxes{at(1, 0)}, seen ? Boxes{at(5, 0)} : Boxes{});
        other.add(Boxes{at(1, 0)}, seen ? Boxes{at(i < 3 ? 5 : 6, 0)} : Boxes{});
    }
    EXPECT_EQ(same.switches(), 0u);
    EXPECT_DOUBLE_EQ(same.mota(), 1 - 3.0 / 9);
    EXPECT_DOUBLE_EQ(same.idf1(), 2.0 * 6 / (9 + 6));
    EXPECT_EQ(other.switches(), 1u);
    EXPECT_DOUBLE_EQ(other.mota(), 1 - 4.0 / 9);
    EXPECT_DOUBLE_EQ(other.idf1(), 2.0 * 3 / (9 + 6));
}

TEST(IdentityScores, half_of_both_together_must_overlap) {
    IdentityScore score;
    score.add(Boxes{at(1, 0)}, Boxes{at(1, 3)});            // 7 of 13
    score.add(Boxes{at(1, 0)}, Boxes{{1, {0, 0, 10, 5}}});  // exactly half
    EXPECT_EQ(score.missed(), 0u);
    score.add(Boxes{at(1, 0)}, Boxes{at(1, 4)});  // 6 of 14
    EXPECT_EQ(score.missed(), 1u);
    EXPECT_EQ(score.wrong(), 1u);
}

TEST(IdentityScores, who_was_together_stays_together_though_another_comes_nearer) {
    IdentityScore score;
    score.add(Boxes{at(1, 0)}, Boxes{at(1, 2)});
    score.add(Boxes{at(1, 0)}, Boxes{at(1, 2), at(2, 0)});
    EXPECT_EQ(score.switches(), 0u);
    EXPECT_EQ(score.wrong(), 1u);
}

TEST(IdentityScores, a_number_for_two_objects_is_right_for_one_alone) {
    // The next scene's object gets the old number, and only the longer stay counts.
    IdentityScore score;
    for (int i = 0; i < 4; ++i) score.add(Boxes{at(1, 0)}, Boxes{at(1, 0)});
    for (int i = 0; i < 6; ++i) score.add(Boxes{at(2, 0)}, Boxes{at(1, 0)});
    EXPECT_EQ(score.switches(), 0u);
    EXPECT_DOUBLE_EQ(score.idf1(), 2.0 * 6 / 20);
}

TEST(IdentityScores, a_long_run_is_the_sum_of_its_scenes) {
    IdentityScore score;
    for (uint64_t scene = 0; scene < 2000; ++scene)
        for (int i = 0; i < 4; ++i)
            score.add(Boxes{at(2 * scene, 0), at(2 * scene + 1, 50)},
                      Boxes{at(3 * scene + (i < 3 ? 0 : 1), 0), at(3 * scene + 2, 50)});
    EXPECT_EQ(score.switches(), 2000u);
    EXPECT_DOUBLE_EQ(score.idf1(), 7.0 / 8);
}

TEST(IdentityScores, take_their_boxes_from_a_frames_result) {
    FrameResult result;
    result.detections = {{0, 0.9f, {0, 0, 10, 10}}, {0, 0.8f, {50, 0, 60, 10}}};
    result.tracks = {3, 0};  // the second belongs to no object
    IdentityScore score;
    score.add(result);  // a source without truth
    EXPECT_EQ(score.objects(), 0u);
    result.info.truth = Truth{{{0, "dog", {0, 0, 10, 10}, 1}, {0, "dog", {50, 0, 60, 10}, 2}}, ""};
    score.add(result);
    EXPECT_EQ(score.objects(), 2u);
    EXPECT_EQ(score.missed(), 1u);
    EXPECT_EQ(score.wrong(), 0u);
}

}  // namespace
}  // namespace saccade
