#include "gpu/ops/boxes.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

using BestQueriesTest = GpuTest;

TEST_F(BestQueriesTest, come_best_first_equal_ones_by_row) {
    std::vector<float> found;
    const float scores[] = {0.2f, 0.9f, 0.5f, 0.9f, 0.1f};
    for (uint32_t i = 0; i < 5; ++i)
        for (float v : {0.0f, 0.0f, 1.0f, 1.0f, scores[i], 7.0f, 10.0f + float(i)})
            found.push_back(v);
    const Tensor tf = tensor(1, 5, 7, Type::f32, found);
    const Tensor list = poisoned(1, 2, 3, Type::u32);
    begin();
    best_queries_into(commands, list, tf);
    EXPECT_THROW(best_queries_into(commands, poisoned(1, 2, 6, Type::u32), tf), Error);
    finish();
    EXPECT_EQ(words(list), (std::vector<uint32_t>{11, 13, 12, 1, 3, 2}));
}

}  // namespace
}  // namespace saccade
