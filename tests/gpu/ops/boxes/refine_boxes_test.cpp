#include <algorithm>
#include <cmath>
#include <limits>

#include "gpu/ops/boxes.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

class RefineBoxesTest : public GpuTest {
protected:
    static float logit(float p) {
        p = std::clamp(p, 0.0f, 1.0f);
        return std::log(std::max(p, 1e-5f) / std::max(1 - p, 1e-5f));
    }
    static float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }
};

TEST_F(RefineBoxesTest, moves_each_box_and_writes_it_twice) {
    for (Type type : {Type::f32, Type::f16}) {
        std::vector<float> deltas = random(2 * 5 * 4), from = random(2 * 5 * 4);
        for (float& v : from) v = 0.5f + 0.7f * v;  // some lie outside of 0 .. 1
        const Boxes to{poisoned(2, 5, 4, Type::f32), poisoned(2, 5, 4, type)};
        begin();
        refine_boxes(commands, to, tensor(2, 5, 4, Type::f32, deltas),
                     tensor(2, 5, 4, Type::f32, from));
        finish();
        std::vector<float> want;
        for (size_t i = 0; i < deltas.size(); ++i)
            want.push_back(sigmoid(deltas[i] + logit(from[i])));
        for (const Tensor* t : {&to.boxes, &to.copy}) expect_zero_padding(*t);
        EXPECT_LT(relative_error(values(to.boxes), want), 1e-5);
        EXPECT_LT(relative_error(values(to.copy), want), tolerance(type));
    }
}

TEST_F(RefineBoxesTest, begins_with_the_logits_of_a_table) {
    std::vector<float> table = random(7 * 4), deltas = random(7 * 4);
    for (size_t i = 8; i < 12; ++i) table[i] = std::numeric_limits<float>::max();
    const std::vector<uint32_t> from = {6, 2, 0};
    const Boxes to{poisoned(1, 3, 4, Type::f32), poisoned(1, 3, 4, Type::f32)};
    begin();
    refine_picked_boxes(commands, to, tensor(1, 7, 4, Type::f32, deltas),
                        tensor(1, 7, 4, Type::f32, table), ids(from));
    finish();
    std::vector<float> want;
    for (size_t i = 0; i < 12; ++i) {
        const size_t at = from[i / 4] * 4 + i % 4;
        want.push_back(sigmoid(deltas[at] + table[at]));
    }
    EXPECT_LT(relative_error(values(to.boxes), want), 1e-5);
    EXPECT_EQ(want[4], 1.0f) << "a cell at the border begins with everything";
}

TEST_F(RefineBoxesTest, refuses_shapes_that_do_not_fit) {
    const Tensor five = random_tensor(1, 5, 4, Type::f32), six = random_tensor(1, 6, 4, Type::f32);
    begin();
    EXPECT_THROW(refine_boxes(commands, {five, five}, five, six), Error);
    EXPECT_THROW(refine_boxes(commands, {six, five}, five, five), Error);
    finish();
}

}  // namespace
}  // namespace saccade
