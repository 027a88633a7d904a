#include "gpu/ops/rows.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

class GatherRowsTest : public GpuTest {
protected:
    // A list for each batch.
    Tensor lists(uint32_t batch, const std::vector<uint32_t>& all) {
        Tensor list = ids(all);
        list.batch = batch;
        list.columns /= batch;
        list.batch_stride = list.columns;
        return list;
    }
};

TEST_F(GatherRowsTest, copies_the_rows_that_are_named_of_each_batch) {
    for (const auto& [from, to] :
         {std::pair{Type::f32, Type::f32}, {Type::f16, Type::f16}, {Type::f16, Type::f32}}) {
        const std::vector<float> x = random(2 * 5 * 20, from);
        const std::vector<uint32_t> wanted = {4, 0, 4, 2, 3, 3};
        const Tensor tx = tensor(2, 5, 20, from, x), list = lists(2, wanted);
        const auto y = run([&](Commands& c) { return gather_rows(c, tx, list, to); });
        for (size_t i = 0; i < y.size(); ++i)
            EXPECT_EQ(y[i], x[i / 60 * 100 + wanted[i / 20] * 20 + i % 20]) << i;
    }
}

TEST_F(GatherRowsTest, a_number_past_the_rows_takes_the_last) {
    const std::vector<float> x = random(3 * 8);
    const Tensor tx = tensor(1, 3, 8, Type::f32, x), list = lists(1, {9});
    const auto y = run([&](Commands& c) { return gather_rows(c, tx, list, Type::f32); });
    EXPECT_EQ(y, std::vector<float>(x.begin() + 16, x.end()));
}

TEST_F(GatherRowsTest, refuses_a_list_of_other_batches) {
    const Tensor x = random_tensor(2, 3, 8, Type::f32);
    begin();
    EXPECT_THROW(gather_rows(commands, x, lists(1, {0}), Type::f32), Error);
    EXPECT_THROW(gather_rows(commands, x, x, Type::f32), Error);
    finish();
}

}  // namespace
}  // namespace saccade
