#include "gpu/ops/maps.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

using MergePatchesTest = GpuTest;

TEST_F(MergePatchesTest, puts_four_neighbours_side_by_side_and_zeros_past_the_edge) {
    for (Type type : {Type::f32, Type::f16})
        for (const Size& map : {Size(4, 6), Size(5, 3), Size(1, 1)}) {
            const uint32_t columns = 12, batch = 2;
            const std::vector<float> x = random(size_t(batch) * area(map) * columns, type);
            const Size half = (map + 1u) / 2u;
            std::vector<float> want;
            for (uint32_t b = 0; b < batch; ++b)
                for (uint32_t cell = 0; cell < area(half); ++cell)
                    for (uint32_t part = 0; part < 4; ++part)
                        for (uint32_t j = 0; j < columns; ++j) {
                            const uint32_t column = 2 * (cell % half.x) + part / 2;
                            const uint32_t row = 2 * (cell / half.x) + part % 2;
                            const bool inside = column < map.x && row < map.y;
                            want.push_back(
                                inside
                                    ? x[((size_t(b) * map.y + row) * map.x + column) * columns + j]
                                    : 0);
                        }
            const Tensor from = tensor(batch, area(map), columns, Type::f32, x);
            EXPECT_EQ(run([&](Commands& c) { return merge_patches(c, from, map, type); }), want);
        }
}

TEST_F(MergePatchesTest, refuses_what_is_not_such_a_map) {
    begin();
    EXPECT_THROW(merge_patches(commands, random_tensor(1, 12, 8, Type::f32), {4, 4}, Type::f32),
                 Error);
    EXPECT_THROW(merge_patches(commands, random_tensor(1, 16, 6, Type::f32), {4, 4}, Type::f32),
                 Error);
    finish();
}

}  // namespace
}  // namespace saccade
