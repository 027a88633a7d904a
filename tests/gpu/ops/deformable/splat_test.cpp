#include <cmath>
#include <numeric>

#include "gpu/ops/attention.h"
#include "gpu/ops/deformable.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

using SplatTest = GpuTest;

TEST_F(SplatTest, lays_each_share_down_where_it_was_read) {
    // Two queries, two heads, one point on each of two levels.
    const std::vector<Size> levels = {{4, 4}, {2, 2}};
    const std::vector<uint32_t> points = {1, 1};
    const std::vector<float> places = {0.625f, 0.125f, 0.75f, 0.75f, 0.5f,  0.125f, 0.25f, 0.25f,
                                       0.5f,   0.5f,   5.0f,  0.5f,  0.25f, 0.25f,  0.5f,  0.5f};
    const std::vector<float> shares = {0.75f, 0.25f, 0.5f, 0.5f, 0.25f, 0.75f, 0.5f, 0.5f};
    const SamplingPoints from{tensor(1, 2, 8, Type::f32, places),
                              tensor(1, 2, 4, Type::f32, shares)};
    auto maps_of = [&](const MapRange& range) {
        return run([&](Commands& c) {
            const Tensor maps = c.scratch(1, range.heads * range.rows, 16, Type::f32);
            splat(c, maps, from, levels, points, {4, 4}, range);
            return maps;
        });
    };
    const auto first = maps_of({0, 1, 0, 2});
    // In the middle of a cell of the first level, and of one of the second, which covers four.
    EXPECT_FLOAT_EQ(first[2], 0.75f);
    for (size_t cell : {10, 11, 14, 15}) EXPECT_FLOAT_EQ(first[cell], 0.25f / 4);
    // Between two cells each gets half.
    EXPECT_FLOAT_EQ(first[16 + 1], 0.25f + 0.5f / 4);
    EXPECT_FLOAT_EQ(first[16 + 2], 0.25f);
    for (size_t head : {0, 1})
        EXPECT_FLOAT_EQ(std::accumulate(first.begin() + 16 * std::ptrdiff_t(head),
                                        first.begin() + 16 * std::ptrdiff_t(head + 1), 0.0f),
                        1.0f);
    // A point outside of the picture is in no map.
    const auto second = maps_of({1, 1, 0, 1});
    EXPECT_FLOAT_EQ(std::accumulate(second.begin(), second.end(), 0.0f), 0.25f);
    // Heads and queries in the order of attention_map.
    const auto all = maps_of({0, 2, 0, 2});
    EXPECT_EQ(std::vector(all.begin() + 32, all.begin() + 48),
              std::vector(first.begin() + 16, first.end()));
}

TEST_F(SplatTest, refuses_queries_that_there_are_not) {
    const SamplingPoints from{random_tensor(1, 2, 8, Type::f32), random_tensor(1, 2, 4, Type::f32)};
    begin();
    EXPECT_THROW(splat(commands, random_tensor(1, 1, 16, Type::f32), from, {{4, 4}}, {4}, {4, 4},
                       {2, 1, 0, 1}),
                 Error);
    finish();
}

}  // namespace
}  // namespace saccade
