#include "app/io/progress.h"

#include <gtest/gtest.h>

namespace saccade {
namespace {

TEST(Progress, what_will_not_come_is_not_waited_for) {
    Progress progress("batch", 8, true);
    progress.step();
    EXPECT_TRUE(progress.text().starts_with("1 of 8")) << progress.text();
    progress.leave_out(2);
    EXPECT_EQ(progress.steps_left(), 5u);
    EXPECT_TRUE(progress.text().starts_with("1 of 6")) << progress.text();
    progress.leave_out(100);
    EXPECT_EQ(progress.steps_left(), 0u);
    EXPECT_TRUE(progress.text().starts_with("1 of 1")) << progress.text();
}

}  // namespace
}  // namespace saccade
