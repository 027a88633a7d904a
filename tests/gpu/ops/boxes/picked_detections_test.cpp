#include <cmath>

#include "gpu/ops/boxes.h"
#include "gpu/ops/rows.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

using PickedDetectionsTest = GpuTest;

TEST_F(PickedDetectionsTest, a_query_may_be_found_as_several_things) {
    // Two queries and three classes; the second query is picked twice.
    const Tensor logits = tensor(1, 2, 3, Type::f32, std::vector<float>{-1, 0.5f, -2, 3, -9, 1});
    const Tensor boxes =
        tensor(1, 2, 4, Type::f32, std::vector<float>{0.5f, 0.5f, 1, 1, 0.25f, 0.75f, 0.5f, 0.1f});
    const auto y = run([&](Commands& c) {
        const Tensor found = c.scratch(1, 3, 7, Type::f32);
        picked_detections_into(c, found, select(c, logits, 3), boxes, 3, {200, 100});
        return found;
    });
    auto sigmoid = [](float x) { return 1 / (1 + std::exp(-x)); };
    const std::vector<float> want = {0, 70, 100, 80,  sigmoid(3),    0, 1,  //
                                     0, 70, 100, 80,  sigmoid(1),    2, 1,  //
                                     0, 0,  200, 100, sigmoid(0.5f), 1, 0};
    EXPECT_LT(relative_error(y, want), 1e-6);
}

TEST_F(PickedDetectionsTest, refuses_another_number_of_rows) {
    const Tensor logits = random_tensor(1, 4, 3, Type::f32),
                 boxes = random_tensor(1, 4, 4, Type::f32);
    begin();
    EXPECT_THROW(picked_detections_into(commands, random_tensor(1, 5, 7, Type::f32),
                                        select(commands, logits, 4), boxes, 3, {8, 8}),
                 Error);
    finish();
}

}  // namespace
}  // namespace saccade
