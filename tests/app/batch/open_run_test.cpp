#include "app/batch/open_run.h"

#include "app/batch/plan/run_file.h"
#include "tests/app/batch/plan/plans.h"
#include "tests/app/sources/clips.h"

namespace saccade {
namespace {

TEST(OpenRun, a_plan_does_not_take_the_place_of_a_run_that_is_not_finished) {
    const TempFolder temp;
    const BatchPlan plan = plan_with({300}, 7);
    const WorkFolder work = BatchFolder(temp.path()).work();
    const std::string before = RunFile{.plan = plan}.text();
    work.begin(before);
    const RunRequest request{temp.path(), "", 2};
    expect_says(error_of([&] { plan_run(plan, request); }), "holds an unfinished run");
    EXPECT_EQ(file_content(work.run_file()), before);
}

}  // namespace
}  // namespace saccade
