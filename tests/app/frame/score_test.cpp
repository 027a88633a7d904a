#include "app/frame/score.h"

#include <gtest/gtest.h>

namespace saccade {
namespace {

const std::vector<std::string> labels{"cat", "dog"};

Detection found(uint32_t id, float score, float left, float top, float side = 10) {
    return {id, score, {left, top, left + side, top + side}, 0};
}
Truth truth(std::vector<TrueObject> objects) { return {std::move(objects), "a cat and a dog"}; }
TrueObject real(const char* label, float left, float top, float side = 10) {
    // The source's ids differ from the model's.
    return {7, label, {left, top, left + side, top + side}};
}

void expect_tally(const Tally& tally, uint64_t right, uint64_t wrong, uint64_t missed) {
    EXPECT_EQ(tally.right, right);
    EXPECT_EQ(tally.wrong, wrong);
    EXPECT_EQ(tally.missed, missed);
}

TEST(Scores, a_detection_is_right_where_label_and_place_are) {
    const Truth there = truth({real("cat", 0, 0), real("dog", 50, 50)});
    expect_tally(compare(std::vector{found(0, 0.9f, 1, 1), found(1, 0.8f, 50, 50)}, labels, there),
                 2, 0, 0);
    expect_tally(compare(std::vector{found(1, 0.9f, 0, 0)}, labels, there), 0, 1, 2);  // no dog
    expect_tally(compare(std::vector{found(0, 0.9f, 30, 0)}, labels, there), 0, 1, 2);
    expect_tally(compare(std::vector{found(5, 0.9f, 0, 0)}, labels, there), 0, 1, 2);  // no class
    expect_tally(compare({}, labels, there), 0, 0, 2);
}

TEST(Scores, half_of_both_together_must_overlap) {
    const Truth there = truth({real("cat", 0, 0)});
    expect_tally(compare(std::vector{found(0, 0.9f, 3, 0)}, labels, there), 1, 0, 0);  // 7 of 13
    expect_tally(compare(std::vector{found(0, 0.9f, 4, 0)}, labels, there), 0, 1, 1);  // 6 of 14
}

TEST(Scores, an_object_is_found_once_and_the_better_detection_chooses_first) {
    const Truth one = truth({real("cat", 0, 0)});
    expect_tally(compare(std::vector{found(0, 0.6f, 0, 0), found(0, 0.9f, 0, 0)}, labels, one), 1,
                 1, 0);
    // The better one overlaps the left cat more and is matched with it; the other is matched with
    // the rest.
    const Truth two = truth({real("cat", 0, 0), real("cat", 4, 0)});
    expect_tally(compare(std::vector{found(0, 0.6f, 2, 0), found(0, 0.9f, 1, 0)}, labels, two), 2,
                 0, 0);
}

TEST(Scores, a_run_adds_up) {
    Score score;
    EXPECT_EQ(score.objects().precision(), 1);
    EXPECT_EQ(score.objects().recall(), 1);
    const Truth there = truth({real("cat", 0, 0), real("dog", 50, 50)});
    score.add(std::vector{found(0, 0.9f, 0, 0), found(1, 0.9f, 0, 0)}, labels, there);
    score.add(std::vector{found(0, 0.9f, 0, 0), found(1, 0.9f, 50, 50)}, labels, there);
    score.add_caption("a cat and a dog", there);
    score.add_caption("a cat", there);
    expect_tally(score.objects(), 3, 1, 1);
    EXPECT_EQ(score.objects().precision(), 0.75);
    EXPECT_EQ(score.objects().recall(), 0.75);
    EXPECT_EQ(score.captions(), 2u);
    EXPECT_EQ(score.right_captions(), 1u);
}

}  // namespace
}  // namespace saccade
