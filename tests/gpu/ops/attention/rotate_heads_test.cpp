#include "gpu/ops/attention.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

using RotateHeadsTest = GpuTest;

TEST_F(RotateHeadsTest, matches_plain_loops_and_leaves_other_rows_alone) {
    for (Type type : {Type::f32, Type::f16})
        for (const uint32_t size : {2u, 12u, 16u, 64u}) {
            const uint32_t heads = 3, rows = 7, first = 2, batch = 2, wide = padded(size);
            std::vector<float> x = random(size_t(batch) * rows * heads * wide, type);
            for (size_t i = 0; i < x.size(); ++i)
                if (i % wide >= size) x[i] = 0;  // as heads are padded
            const std::vector<float> turns = random(size_t(rows - first) * size);
            std::vector<float> want = x;
            for (size_t b = 0; b < batch; ++b)
                for (size_t r = first; r < rows; ++r)
                    for (size_t h = 0; h < heads; ++h)
                        for (size_t i = 0; i < size / 2; ++i) {
                            const size_t at = ((b * rows + r) * heads + h) * wide + i;
                            const float* turn = &turns[(r - first) * size];
                            const float c = turn[i], s = turn[size / 2 + i];
                            want[at] = x[at] * c - x[at + size / 2] * s;
                            want[at + size / 2] = x[at + size / 2] * c + x[at] * s;
                        }
            const Tensor y = tensor(batch, rows, heads * wide, type, x);
            const Tensor table = tensor(1, rows - first, size, Type::f32, turns);
            const auto got = run([&](Commands& c) {
                rotate_heads(c, y.slice_rows(first, rows - first), heads, size, table);
                return y;
            });
            EXPECT_LT(relative_error(got, want), tolerance(type)) << "heads of " << size;
        }
}

TEST_F(RotateHeadsTest, refuses_shapes_that_do_not_fit) {
    const Tensor x = random_tensor(1, 6, 48, Type::f32), turns = random_tensor(1, 6, 16, Type::f32);
    begin();
    EXPECT_THROW(rotate_heads(commands, x, 4, 16, turns), Error);
    EXPECT_THROW(rotate_heads(commands, x, 3, 15, turns), Error);
    EXPECT_THROW(rotate_heads(commands, x.slice_rows(0, 5), 3, 16, turns), Error);
    finish();
}

}  // namespace
}  // namespace saccade
