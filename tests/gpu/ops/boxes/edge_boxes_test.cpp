#include <algorithm>
#include <cmath>

#include "gpu/ops/boxes.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

using EdgeBoxesTest = GpuTest;

TEST_F(EdgeBoxesTest, moves_each_edge_by_the_mean_of_its_distribution) {
    constexpr uint32_t queries = 19, bins = 9, best = 3;
    constexpr float scale = 4;
    std::vector<float> corners = random(2 * queries * 4 * bins),
                       reference = random(2 * queries * 4);
    for (float& v : corners) v = std::round(v * 8) / 2;  // some are equal
    const std::vector<float> steps = random(bins);
    std::vector<float> boxes, told;
    for (size_t q = 0; q < 2 * queries; ++q) {
        float edges[4];
        for (size_t edge = 0; edge < 4; ++edge) {
            std::vector<double> p;
            double sum = 0, mean = 0;
            for (size_t n = 0; n < bins; ++n) {
                p.push_back(std::exp(double(corners[(q * 4 + edge) * bins + n])));
                sum += p.back();
            }
            for (size_t n = 0; n < bins; ++n) mean += p[n] / sum * double(steps[n]);
            edges[edge] = static_cast<float>(mean);
            std::ranges::sort(p, std::greater());
            double average = 0;
            for (size_t i = 0; i < best; ++i) {
                told.push_back(static_cast<float>(p[i] / sum));
                average += p[i] / sum / best;
            }
            told.push_back(static_cast<float>(average));
        }
        const float* r = &reference[q * 4];
        const float left = r[0] - (scale / 2 + edges[0]) * r[2] / scale;
        const float top = r[1] - (scale / 2 + edges[1]) * r[3] / scale;
        const float right = r[0] + (scale / 2 + edges[2]) * r[2] / scale;
        const float bottom = r[1] + (scale / 2 + edges[3]) * r[3] / scale;
        for (float v : {(left + right) / 2, (top + bottom) / 2, right - left, bottom - top})
            boxes.push_back(v);
    }
    const Tensor tc = tensor(2, queries, 4 * bins, Type::f32, corners);
    const Tensor tr = tensor(2, queries, 4, Type::f32, reference);
    const Tensor ts = tensor(1, 1, bins, Type::f32, steps);
    for (Type type : {Type::f32, Type::f16})
        for (bool asked : {true, false}) {
            const Boxes to{poisoned(2, queries, 4, Type::f32), poisoned(2, queries, 4, type)};
            const Tensor statistics = poisoned(2, queries, 4 * (best + 1), Type::f32);
            begin();
            edge_boxes(commands, {to, asked ? statistics : Tensor{}}, tc, tr, ts, scale, best);
            finish();
            EXPECT_LT(relative_error(values(to.boxes), boxes), 1e-5);
            EXPECT_LT(relative_error(values(to.copy), boxes), tolerance(type));
            if (asked) {
                expect_zero_padding(statistics);
                EXPECT_LT(relative_error(values(statistics), told), 1e-5);
            }
        }
}

TEST_F(EdgeBoxesTest, refuses_another_number_of_bins) {
    const Boxes to{random_tensor(1, 2, 4, Type::f32), random_tensor(1, 2, 4, Type::f32)};
    begin();
    EXPECT_THROW(edge_boxes(commands, {to}, random_tensor(1, 2, 36, Type::f32), to.boxes,
                            random_tensor(1, 1, 8, Type::f32), 4, 3),
                 Error);
    finish();
}

}  // namespace
}  // namespace saccade
