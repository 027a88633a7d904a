#include "app/cause/head_off.h"

#include <gtest/gtest.h>

namespace saccade {
namespace {

TEST(HeadOffTest, says_which_heads_are_off_model_by_model) {
    using Of = HeadOff::Of;
    EXPECT_EQ(in_words({}), "");
    EXPECT_EQ(in_words({{Of::classifier, 4, 0}, {Of::detector, 2, 1}, {Of::detector, 0, 3}}),
              "detector 0.3, 2.1; classifier 4.0");
}

}  // namespace
}  // namespace saccade
