#include <cmath>
#include <numbers>

#include "gpu/ops/boxes.h"
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
        const std::vector<float> from = random(2 * 5 * 4), deltas = random(2 * 5 * 4);
        const Boxes to{poisoned(2, 5, 4, Type::f32), poisoned(2, 5, 4, type)};
        begin();
        scale_boxes(commands, to, tensor(2, 5, 4, Type::f32, deltas),
                    tensor(2, 5, 4, Type::f32, from));
        finish();
        std::vector<float> want;
        for (size_t i = 0; i < 10; ++i) {
            const std::vector<float> box(from.begin() + std::ptrdiff_t(4 * i),
                                         from.begin() + std::ptrdiff_t(4 * i + 4));
            for (float v : moved(box, std::span(deltas).subspan(i * 4, 4))) want.push_back(v);
        }
        EXPECT_LT(relative_error(values(to.boxes), want), 1e-5);
        EXPECT_LT(relative_error(values(to.copy), want), tolerance(type));
        expect_zero_padding(to.copy);
    }
}

// The sine embedding: of each number, y first, sines and cosines of increasing period.
std::vector<float> sines_of(std::span<const float> boxes, uint32_t count) {
    std::vector<float> all;
    for (size_t row = 0; row < boxes.size() / 4; ++row)
        for (size_t number : {1, 0, 2, 3})
            for (uint32_t j = 0; j < count; ++j) {
                const double angle = double(boxes[row * 4 + number]) * 2 * std::numbers::pi /
                                     std::pow(10000.0, 2.0 * (j / 2) / count);
                all.push_back(static_cast<float>(j % 2 ? std::cos(angle) : std::sin(angle)));
            }
    return all;
}

TEST_F(ScaleBoxesTest, moves_picked_boxes_twice_and_gives_their_sines) {
    constexpr size_t rows = 3, picked = 2;
    constexpr uint32_t count = 12;  // of sines
    for (Type type : {Type::f32, Type::f16}) {
        const std::vector<float> table = random(rows * 4), deltas = random(2 * rows * 4);
        const std::vector<float> again = random(picked * 4);
        const std::vector<uint32_t> from = {2, 0, 1, 2};  // of the first batch, and of the second
        const Boxes to{poisoned(2, picked, 4, Type::f32), poisoned(2, picked, 4, type)};
        const Tensor sines = poisoned(2, picked, 4 * count, type);
        const Tensor moves = tensor(2, rows, 4, Type::f32, deltas);
        const Tensor start = tensor(1, rows, 4, Type::f32, table);
        const Tensor more = tensor(1, picked, 4, Type::f32, again);
        Tensor picks = ids(std::vector<uint32_t>{2, 0, 0, 0, 0, 0, 0, 0, 1, 2});
        picks.columns = picked;
        picks.batch = 2;
        picks.batch_stride = 8;
        begin();
        scale_picked_boxes(commands, to, sines, moves, start, picks, more);
        EXPECT_THROW(scale_boxes(commands, to, moves, start), Error);
        EXPECT_THROW(scale_picked_boxes(commands, to, sines, moves, start, picks, start), Error);
        EXPECT_THROW(
            scale_picked_boxes(commands, to, sines.slice_columns(0, 24), moves, start, picks, more),
            Error);
        finish();
        std::vector<float> want;
        for (size_t i = 0; i < 2 * picked; ++i) {
            const auto row = table.begin() + std::ptrdiff_t(from[i] * 4);
            const auto delta = std::span(deltas).subspan((i / picked * rows + from[i]) * 4, 4);
            const auto once = moved({row, row + 4}, delta);
            for (float v : moved(once, std::span(again).subspan(i % picked * 4, 4)))
                want.push_back(v);
        }
        EXPECT_LT(relative_error(values(to.boxes), want), 1e-5);
        EXPECT_LT(relative_error(values(to.copy), want), tolerance(type));
        EXPECT_LT(relative_error(values(sines), sines_of(values(to.boxes), count)),
                  tolerance(type));
        expect_zero_padding(to.copy);
    }
}

}  // namespace
}  // namespace saccade
