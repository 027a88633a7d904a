#include "gpu/core/choices.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

const std::vector<std::string> tiles = {"first", "second", "third"};

class ChoicesTest : public ::testing::Test {
protected:
    Choices::Options options(const std::string& device = "a GPU, driver 1", bool measure = true) {
        return {.file = folder / "tiles.txt",
                .device = device,
                .measure = measure,
                .on_measuring = [this] { ++told; }};
    }
    // The choice among candidates that take this long.
    size_t choose(Choices& choices, const std::vector<double>& times,
                  const std::string& question = "1x197x768x768") {
        return choices.choose(question, tiles, [&](size_t i) {
            ++measured;
            return times[i];
        });
    }
    TempFolder folder;
    int measured = 0, told = 0;
};

TEST_F(ChoicesTest, another_candidate_has_to_be_clearly_faster_than_the_first) {
    Choices choices(options());
    EXPECT_EQ(choose(choices, {100, 98, 99}, "much the same"), 0u);
    EXPECT_EQ(choose(choices, {100, 96, 90}, "the last is the fastest"), 2u);
    EXPECT_EQ(choose(choices, {100, 90, 96}, "the second is"), 1u);
}

TEST_F(ChoicesTest, are_measured_once_and_told_of_once) {
    Choices choices(options());
    EXPECT_EQ(choose(choices, {3, 2, 1}), 2u);
    EXPECT_EQ(measured, 3);
    EXPECT_EQ(choose(choices, {1, 2, 3}), 2u);
    EXPECT_EQ(measured, 3);
    EXPECT_EQ(choose(choices, {1, 2, 3}, "something else"), 0u);
    EXPECT_EQ(measured, 6);
    EXPECT_EQ(told, 1);
}

TEST_F(ChoicesTest, are_kept_from_run_to_run) {
    {
        Choices choices(options());
        choose(choices, {3, 2, 1});
    }
    Choices again(options());
    EXPECT_EQ(choose(again, {1, 2, 3}), 2u);
    EXPECT_EQ(measured, 3);
    EXPECT_EQ(told, 1);
}

TEST_F(ChoicesTest, of_another_driver_are_measured_anew) {
    {
        Choices choices(options());
        choose(choices, {3, 2, 1});
    }
    Choices other(options("a GPU, driver 2"));
    EXPECT_EQ(choose(other, {1, 2, 3}), 0u);
    EXPECT_EQ(measured, 6);
}

TEST_F(ChoicesTest, that_are_not_among_the_candidates_any_more_are_measured_anew) {
    {
        Choices choices(options());
        choices.choose("question", std::vector<std::string>{"old", "older"},
                       [](size_t i) { return i == 0 ? 2.0 : 1.0; });
    }
    Choices again(options());
    EXPECT_EQ(choose(again, {2, 1, 3}, "question"), 1u);
    EXPECT_EQ(measured, 3);
}

TEST_F(ChoicesTest, are_left_to_the_tables_where_nothing_is_to_be_measured) {
    {
        Choices choices(options());
        choose(choices, {3, 2, 1});
    }
    Choices never(options("a GPU, driver 1", false));
    EXPECT_EQ(choose(never, {3, 2, 1}), 0u);
    EXPECT_EQ(choose(never, {3, 2, 1}, "something else"), 0u);
    EXPECT_EQ(measured, 3);
}

TEST_F(ChoicesTest, a_file_of_anything_is_as_good_as_none) {
    for (const char* text :
         {"", "\n\n\n", "saccade's choices, version 1, on a GPU, driver 1\nno tab",
          "saccade's choices, version 1, on a GPU, driver 1\n1x197x768x768\t7"}) {
        std::ofstream(folder / "tiles.txt") << text;
        Choices choices(options());
        EXPECT_EQ(choose(choices, {3, 2, 1}), 2u) << text;
    }
}

TEST_F(ChoicesTest, without_a_place_are_kept_in_memory) {
    Choices::Options nowhere = options();
    nowhere.file.clear();
    Choices choices(nowhere);
    EXPECT_EQ(choose(choices, {3, 2, 1}), 2u);
    EXPECT_EQ(choose(choices, {1, 2, 3}), 2u);
}

}  // namespace
}  // namespace saccade
