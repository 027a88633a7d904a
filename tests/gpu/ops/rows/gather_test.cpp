#include "tests/gpu_test.h"

#include "gpu/ops/rows.h"

namespace saccade {
namespace {

class GatherTest : public GpuTest {};

TEST_F(GatherTest, copies_the_batches_that_are_named_in_both_storage_types) {
    for (Type type : {Type::f32, Type::f16}) {
        const std::vector<float> x = random(3 * 5 * 20, type);
        const std::vector<uint32_t> wanted = {2, 0, 2, 1};
        const Tensor tx = tensor(3, 5, 20, type, x), from = ids(wanted);
        const auto y = run([&](Commands& c) {
            const Tensor to = c.scratch(4, 5, 20, type);
            gather(c, to, tx, from);
            return to;
        });
        for (size_t i = 0; i < y.size(); ++i)
            EXPECT_EQ(y[i], x[wanted[i / 100] * 100 + i % 100]) << i;
    }
}

TEST_F(GatherTest, copies_some_rows_and_leaves_the_others_alone) {
    const std::vector<float> x = random(2 * 4 * 8);
    const std::vector<uint32_t> swapped = {1, 0};
    const Tensor tx = tensor(2, 4, 8, Type::f32, x), from = ids(swapped);
    const Tensor ty = tensor(2, 4, 8, Type::f32, std::vector<float>(64, 9.0f));
    const auto y = run([&](Commands& c) {
        gather(c, ty.slice_rows(0, 3), tx.slice_rows(0, 3), from);
        return ty;
    });
    for (size_t i = 0; i < y.size(); ++i)
        EXPECT_EQ(y[i], i % 32 < 24 ? x[(i + 32) % 64] : 9.0f) << i;
}

TEST_F(GatherTest, a_number_past_the_batches_takes_the_last) {
    const std::vector<float> x = random(2 * 8);
    const std::vector<uint32_t> wanted = {7};
    const Tensor tx = tensor(2, 1, 8, Type::f32, x), from = ids(wanted);
    const auto y = run([&](Commands& c) {
        const Tensor to = c.scratch(1, 1, 8, Type::f32);
        gather(c, to, tx, from);
        return to;
    });
    EXPECT_EQ(y, std::vector<float>(x.begin() + 8, x.end()));
}

TEST_F(GatherTest, refuses_shapes_that_do_not_fit) {
    const std::vector<uint32_t> two = {0, 0};
    const Tensor x = random_tensor(3, 2, 8, Type::f32), from = ids(two);
    EXPECT_THROW(gather(commands, random_tensor(3, 2, 8, Type::f32), x, from), Error);
    EXPECT_THROW(gather(commands, random_tensor(2, 3, 8, Type::f32), x, from), Error);
    EXPECT_THROW(gather(commands, random_tensor(2, 2, 8, Type::f16), x, from), Error);
    EXPECT_THROW(gather(commands, random_tensor(2, 2, 8, Type::f32), x, x), Error);
}

}  // namespace
}  // namespace saccade
