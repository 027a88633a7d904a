#include "tests/gpu_test.h"

#include "gpu/ops/words.h"

namespace saccade {
namespace {

constexpr float never = -3.402823466e38f;

class RestrainTest : public GpuTest {
protected:
    // Ids of one row after another, as (batch, n, 1).
    Tensor said(uint32_t batch, std::span<const uint32_t> words) {
        const auto count = static_cast<uint32_t>(words.size());
        std::vector<uint32_t> spread(size_t(count) * row_quantum);
        for (uint32_t i = 0; i < count; ++i) spread[size_t(i) * row_quantum] = words[i];
        Tensor t = ids(spread);
        t.batch = batch;
        t.rows = count / batch;
        t.columns = 1;
        t.row_stride = row_quantum;
        t.batch_stride = t.rows * row_quantum;
        return t;
    }
    std::vector<float> restrained(uint32_t batch, const std::vector<float>& scores,
                                  const std::vector<uint32_t>& words, const Restraint& how) {
        const Tensor t = tensor(batch, 1, uint32_t(scores.size()) / batch, Type::f32, scores);
        const Tensor before = said(batch, words);
        return run([&](Commands& c) {
            restrain(c, t, before, how);
            return t;
        });
    }
};

TEST_F(RestrainTest, nothing_changes_where_nothing_is_asked_for) {
    const std::vector<float> scores = random(11);
    EXPECT_EQ(restrained(1, scores, {1, 2, 3}, {}), scores);
}

TEST_F(RestrainTest, no_run_of_words_comes_twice) {
    // After 1 2 3 1 2: with n-grams of three, 3 would repeat 1 2 3; of two, 3 would repeat 2 3; of
    // one, all words would repeat.
    const std::vector<float> scores = {1, 2, 3, 4, 5, 6};
    const std::vector<uint32_t> words = {1, 2, 3, 1, 2};
    EXPECT_EQ(restrained(1, scores, words, {.run = 3}), (std::vector<float>{1, 2, 3, never, 5, 6}));
    EXPECT_EQ(restrained(1, scores, words, {.run = 2}), (std::vector<float>{1, 2, 3, never, 5, 6}));
    EXPECT_EQ(restrained(1, scores, words, {.run = 1}),
              (std::vector<float>{1, never, never, never, 5, 6}));
    EXPECT_EQ(restrained(1, scores, words, {.run = 5}), scores);
    EXPECT_EQ(restrained(1, scores, words, {.run = 7}), scores) << "longer than what was said";
}

TEST_F(RestrainTest, a_word_repeated_bans_itself_in_runs_of_two) {
    EXPECT_EQ(restrained(1, {1, 2, 3, 4}, {2, 2}, {.run = 2}),
              (std::vector<float>{1, 2, never, 4}));
}

TEST_F(RestrainTest, words_that_were_said_weigh_less_once_each) {
    const std::vector<float> scores = {4, -4, 2, 8};
    EXPECT_EQ(restrained(1, scores, {0, 1, 0, 1, 0}, {.penalty = 2}),
              (std::vector<float>{2, -8, 2, 8}));
    // With `less`: 4 - 6 is negative.
    const Tensor less = tensor(1, 1, 1, Type::f32, std::vector<float>{6});
    EXPECT_EQ(restrained(1, scores, {0, 3}, {.penalty = 2, .less = less}),
              (std::vector<float>{2, -4, 2, 7}));
}

TEST_F(RestrainTest, banned_words_are_out_and_a_forced_one_is_alone) {
    const std::vector<uint32_t> list = {0, 3, 77};  // 77 is no word of the model
    EXPECT_EQ(restrained(1, {1, 2, 3, 4}, {2}, {.banned = ids(list)}),
              (std::vector<float>{never, 2, 3, never}));
    EXPECT_EQ(restrained(1, {1, 2, 3, 4}, {2}, {.forced = 1}),
              (std::vector<float>{never, 0, never, never}));
    const Tensor less = tensor(1, 1, 1, Type::f32, std::vector<float>{6});
    EXPECT_EQ(restrained(1, {1, 2, 3, 4}, {2}, {.forced = 1, .less = less}),
              (std::vector<float>{never, 6, never, never}))
        << "so that nothing is left when it is taken off again";
}

TEST_F(RestrainTest, rows_do_not_mind_each_other) {
    EXPECT_EQ(restrained(2, {1, 2, 3, 1, 2, 3}, {0, 1, 0, 2, 1, 2}, {.run = 2}),
              (std::vector<float>{1, never, 3, 1, never, 3}));
    EXPECT_EQ(restrained(2, {1, 2, 3, 1, 2, 3}, {0, 1, 0, 2, 2, 2}, {.run = 2}),
              (std::vector<float>{1, never, 3, 1, 2, never}));
}

TEST_F(RestrainTest, ids_past_the_words_touch_nothing) {
    const std::vector<float> scores = {1, 2, 3};
    EXPECT_EQ(restrained(1, scores, {900, 4, 900}, {.penalty = 3, .run = 1}), scores);
}

TEST_F(RestrainTest, refuses_shapes_that_do_not_fit) {
    const std::vector<uint32_t> words = {1, 2};
    const Tensor scores = random_tensor(1, 1, 8, Type::f32);
    EXPECT_THROW(restrain(commands, scores, said(2, words), {}), Error);
    EXPECT_THROW(restrain(commands, random_tensor(1, 1, 8, Type::f16), said(1, words), {}), Error);
    EXPECT_THROW(restrain(commands, scores, said(1, words), {.banned = scores}), Error);
    EXPECT_THROW(restrain(commands, scores, said(1, words), {.less = scores}), Error);
}

}  // namespace
}  // namespace saccade
