#include "gpu/recorder/measure.h"

#include "app/lab/time_tiles.h"
#include "gpu/ops/elementwise.h"
#include "gpu/ops/products.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

class MeasureTest : public GpuTest {};

TEST_F(MeasureTest, work_is_recorded_once_and_takes_some_time) {
    const Tensor x = random_tensor(1, 64, 64, Type::f32);
    int recorded = 0;
    const double us = microseconds_of(device, [&](Commands& c) {
        ++recorded;
        add(c, x, x, Type::f32);
    });
    EXPECT_EQ(recorded, 4) << "several times in one go";
    EXPECT_EQ(us > 0, device.limits().timestamp_ns > 0);
    EXPECT_LT(us, 1e9);
}

// How many of the sorted candidates were chosen.
int chosen_of(const std::vector<TileTime>& times) {
    int chosen = 0;
    for (size_t i = 0; i < times.size(); ++i) {
        chosen += times[i].chosen;
        EXPECT_GE(times[i].us, i ? times[i - 1].us : 0.0);
        EXPECT_FALSE(times[i].chosen && !times[i].fitted);
    }
    return chosen;
}

TEST_F(MeasureTest, every_tile_of_a_product_is_timed_and_one_at_most_is_chosen) {
    const std::vector<TileTime> times = time_tiles(device, Type::f16, {1, 40, 72, 64});
    EXPECT_GE(times.size(), 3u);
    EXPECT_EQ(chosen_of(times), device.is_cpu() ? 0 : 1);
    EXPECT_THROW(time_tiles(device, Type::f16, {1, 65536, 65536, 65536}), Error);
}

TEST_F(MeasureTest, every_tile_of_a_convolution_is_timed) {
    const ConvolutionSizes sizes{{17, 12}, 8, 72, 3, 2, Activation::relu, true};
    EXPECT_EQ(sizes.out_size(), Size(9, 6));
    const std::vector<TileTime> times = time_convolution(device, sizes);
    EXPECT_EQ(times.empty(), !device.features().cooperative_matrix);
    EXPECT_EQ(chosen_of(times), times.empty() ? 0 : 1);
    EXPECT_THROW(time_convolution(device, {{60000, 60000}, 64, 64, 1, 1}), Error);
}

// The result is the same for every choice of tiles.
TEST_F(MeasureTest, products_are_right_on_a_device_that_measures) {
    if (device.is_cpu()) GTEST_SKIP() << "software Vulkan measures nothing";
    int told = 0;
    Device tuned(
        device.instance(), device.info(),
        {.extensions = {}, .pipeline_cache = {}, .tunes = true, .on_tuning = [&] { ++told; }});
    EXPECT_TRUE(tuned.choices().measures());
    Arena scratch(tuned, "scratch");
    Commands c(tuned, scratch, "tuned");
    c.begin();
    const Tensor x = c.scratch(1, 200, 640, Type::f16);
    const Tensor w = c.scratch(1, 96, 640, Type::f16);
    linear(c, x, {w, {}});
    linear(c, x, {w, {}});
    c.end();
    c.run();
    EXPECT_EQ(told, 1);
}

}  // namespace
}  // namespace saccade
