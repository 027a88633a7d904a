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

TEST_F(RefineBoxesTest, moves_boxes_and_says_where_they_are) {
    const std::vector<float> x = random(2 * 5 * 12), w = random(4 * 12), b = random(4);
    const std::vector<float> place = random(20 * 4), shift = random(20);
    std::vector<float> start = random(2 * 5 * 4);
    for (float& v : start) v = 0.5f + 0.4f * v;
    const Boxes boxes{tensor(2, 5, 4, Type::f32, start), poisoned(2, 5, 4, Type::f32)};
    const Tensor placed = poisoned(2, 5, 20, Type::f32);
    begin();
    move_boxes(commands, boxes, placed, tensor(2, 5, 12, Type::f32, x),
               {tensor(1, 4, 12, Type::f32, w), tensor(1, 1, 4, Type::f32, b)},
               {tensor(1, 20, 4, Type::f32, place), tensor(1, 1, 20, Type::f32, shift)},
               Activation::relu);
    finish();
    std::vector<float> moved, said;
    for (size_t row = 0; row < 10; ++row) {
        for (size_t i = 0; i < 4; ++i) {
            float delta = b[i];
            for (size_t k = 0; k < 12; ++k) delta += w[12 * i + k] * x[12 * row + k];
            moved.push_back(sigmoid(delta + logit(start[4 * row + i])));
        }
        for (size_t o = 0; o < 20; ++o) {
            float sum = shift[o];
            for (size_t i = 0; i < 4; ++i) sum += place[4 * o + i] * moved[4 * row + i];
            said.push_back(std::max(sum, 0.0f));
        }
    }
    EXPECT_LT(relative_error(values(boxes.boxes), moved), 1e-5);
    EXPECT_LT(relative_error(values(boxes.copy), moved), 1e-5);
    EXPECT_LT(relative_error(values(placed), said), 1e-5);
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
