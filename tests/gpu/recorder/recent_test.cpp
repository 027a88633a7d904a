#include "gpu/recorder/recent.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace saccade {
namespace {

class RecentTest : public ::testing::Test {
protected:
    std::string choose(int key) {
        return recent.choose(key, [&] {
            ++made;
            return std::to_string(key);
        });
    }

    Recent<int, std::string> recent;
    int made = 0;
};

TEST_F(RecentTest, what_keys_that_take_turns_need_is_made_once) {
    for (int round = 0; round < 3; ++round)
        for (int key = 0; key < 8; ++key) {
            EXPECT_EQ(choose(key), std::to_string(key));
            EXPECT_TRUE(recent.is(key));
            EXPECT_FALSE(recent.is(key + 1));
        }
    EXPECT_EQ(made, 8);
}

TEST_F(RecentTest, a_ninth_key_takes_the_place_of_the_one_that_was_chosen_the_longest_ago) {
    for (int key = 0; key < 8; ++key) choose(key);
    choose(0);
    EXPECT_FALSE(recent.forgets_for(1));
    EXPECT_TRUE(recent.forgets_for(8));
    choose(8);
    choose(0);
    EXPECT_EQ(made, 9) << "0 was chosen a moment ago";
    choose(1);
    EXPECT_EQ(made, 10);
}

TEST_F(RecentTest, without_a_choice_there_is_an_empty_value) {
    EXPECT_FALSE(recent.is(0));
    EXPECT_EQ(recent.value(), "");
    choose(0);
    EXPECT_THROW(recent.choose(1, []() -> std::string { throw std::runtime_error("no"); }),
                 std::runtime_error);
    EXPECT_FALSE(recent.is(0));
    EXPECT_EQ(recent.value(), "");
    EXPECT_EQ(choose(0), "0");
    EXPECT_EQ(made, 1);
}

}  // namespace
}  // namespace saccade
