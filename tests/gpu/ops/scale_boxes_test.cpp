#include <cmath>

#include "gpu/boxes.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

using ScaleBoxesTest = GpuTest;

std::vector<float> moved(std::vector<float> box, std::span<const float> delta) {
    for (size_t i = 0; i < 2; ++i) {
        box[i] += delta[i] * box[2 + i];
        box[2 + i] *= std::exp(delta[2 + i]);
    }
    return box;
}

TEST_F(ScaleBoxesTest, moves_boxes_by_parts_of_their_size) {
    for (Type type : {Type::f32, Type::f16}) {
        const std::vector<float> from = random(2 * 5 * 4), deltas = random(5 * 4);
        const Boxes to{poisoned(2, 5, 4, Type::f32), poisoned(2, 5, 4, type)};
        begin();
        // The same for both batches.
        scale_boxes(commands, to, tensor(1, 5, 4, Type::f32, deltas),
                    tensor(2, 5, 4, Type::f32, from));
        finish();
        std::vector<float> want;
        for (size_t i = 0; i < 10; ++i) {
            const std::vector<float> box(from.begin() + std::ptrdiff_t(4 * i),
                                         from.begin() + std::ptrdiff_t(4 * i + 4));
            for (float v : moved(box, std::span(deltas).subspan(i % 5 * 4, 4))) want.push_back(v);
        }
        EXPECT_LT(relative_error(values(to.boxes), want), 1e-5);
        EXPECT_LT(relative_error(values(to.copy), want), tolerance(type));
        expect_zero_padding(to.copy);
    }
}

TEST_F(ScaleBoxesTest, takes_boxes_of_a_table) {
    const std::vector<float> table = random(3 * 4), deltas = random(2 * 4);
    const std::vector<uint32_t> from = {2, 0};
    const Boxes to{poisoned(1, 2, 4, Type::f32), poisoned(1, 2, 4, Type::f32)};
    begin();
    scale_boxes(commands, to, tensor(1, 2, 4, Type::f32, deltas),
                tensor(1, 3, 4, Type::f32, table), ids(from));
    EXPECT_THROW(scale_boxes(commands, to, tensor(1, 2, 4, Type::f32, deltas),
                             tensor(1, 3, 4, Type::f32, table)),
                 Error);
    finish();
    std::vector<float> want;
    for (size_t i = 0; i < 2; ++i) {
        const auto row = table.begin() + std::ptrdiff_t(from[i] * 4);
        for (float v : moved({row, row + 4}, std::span(deltas).subspan(i * 4, 4))) want.push_back(v);
    }
    EXPECT_LT(relative_error(values(to.boxes), want), 1e-5);
}

}  // namespace
}  // namespace saccade
