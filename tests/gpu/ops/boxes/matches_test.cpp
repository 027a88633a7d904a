#include <cmath>

#include "gpu/ops/boxes.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

class MatchesTest : public GpuTest {};

TEST_F(MatchesTest, the_best_phrase_of_each_query_by_a_sigmoid) {
    constexpr uint32_t queries = 9, classes = 5;
    std::vector<float> logits = random(queries * classes);
    logits[2 * classes + 1] = logits[2 * classes + 3] = 4.0f;  // of equal ones, the first
    const std::vector<float> boxes = random(queries * 4);
    const Tensor tl = tensor(1, queries, classes, Type::f32, logits);
    const Tensor tb = tensor(1, queries, 4, Type::f32, boxes);
    const auto got = run([&](Commands& c) {
        const Tensor found = c.scratch(1, queries, 7, Type::f32);
        matches_into(c, found, tl, tb, {640.0f, 480.0f});
        return found;
    });
    for (uint32_t query = 0; query < queries; ++query) {
        uint32_t best = 0;
        for (uint32_t j = 1; j < classes; ++j)
            if (logits[query * classes + j] > logits[query * classes + best]) best = j;
        const float* const row = &got[query * 7];
        const float* const box = &boxes[query * 4];
        EXPECT_NEAR(row[0], (box[0] - box[2] / 2) * 640, 1e-3);
        EXPECT_NEAR(row[3], (box[1] + box[3] / 2) * 480, 1e-3);
        EXPECT_NEAR(row[4], 1 / (1 + std::exp(-logits[query * classes + best])), 1e-6);
        EXPECT_EQ(row[5], float(best));
        EXPECT_EQ(row[6], float(query));
    }
}

TEST_F(MatchesTest, refuses_another_shape) {
    begin();
    EXPECT_THROW(
        matches_into(commands, poisoned(1, 3, 7, Type::f32), random_tensor(1, 4, 2, Type::f32),
                     random_tensor(1, 4, 4, Type::f32), {1.0f, 1.0f}),
        Error);
    finish();
}

}  // namespace
}  // namespace saccade
