#include "app/pipeline/device_loss.h"

#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

using namespace std::chrono_literals;

TEST(DeviceLosses, the_third_within_a_minute_is_the_last) {
    const DeviceLost lost("the GPU stopped answering");
    const auto start = DeviceLosses::Clock::now();
    DeviceLosses losses;
    losses.tell(lost, start);
    losses.tell(lost, start + 40s);
    losses.tell(lost, start + 70s);  // the first is forgotten
    expect_says(error_of([&] { losses.tell(lost, start + 99s); }),
                "lost 3 times in a minute, the last time because the GPU stopped answering");
}

}  // namespace
}  // namespace saccade
