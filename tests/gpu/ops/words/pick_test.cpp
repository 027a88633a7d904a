#include <algorithm>
#include <cmath>

#include "gpu/ops/words.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

class PickTest : public GpuTest {
protected:
    struct Picked {
        std::vector<uint32_t> columns;
        std::vector<float> logs, sums;
    };
    Picked pick_of(uint32_t batch, uint32_t columns, std::span<const float> x) {
        const Tensor tx = tensor(batch, 1, columns, Type::f32, x);
        const Tensor best = poisoned(batch, 1, 1, Type::u32),
                     about = poisoned(batch, 3, 1, Type::f32);
        begin();
        pick(commands, best, about, tx);
        finish();
        expect_zero_padding(about);
        Picked picked{words(best), {}, {}};
        const std::vector<float> all = values(about);
        for (uint32_t row = 0; row < batch; ++row) {
            picked.logs.push_back(all[3 * row]);
            picked.sums.push_back(all[3 * row + 1]);
            EXPECT_EQ(all[3 * row + 2], static_cast<float>(picked.columns[row]));
        }
        return picked;
    }
    static double log_softmax(std::span<const float> x, size_t column) {
        double total = 0;
        for (float v : x)
            if (!std::isnan(v)) total += std::exp(double(v) - double(x[column]));
        return -std::log(total);
    }
};

TEST_F(PickTest, finds_the_largest_of_rows_of_any_length) {
    for (uint32_t columns : {1u, 3u, 100u, 1024u, 1025u, 9001u}) {
        std::vector<float> x = random(2 * columns);
        for (float& v : x) v *= 10;
        const Picked got = pick_of(2, columns, x);
        for (uint32_t row = 0; row < 2; ++row) {
            const auto part = std::span(x).subspan(row * columns, columns);
            const auto want = std::ranges::max_element(part) - part.begin();
            EXPECT_EQ(got.columns[row], want) << columns;
            EXPECT_NEAR(got.logs[row], log_softmax(part, got.columns[row]), 1e-5) << columns;
            EXPECT_NEAR(got.sums[row], part[got.columns[row]] - got.logs[row], 1e-4) << columns;
        }
    }
}

TEST_F(PickTest, of_equal_ones_the_first_is_taken) {
    std::vector<float> x(10000, 0.5f);
    EXPECT_EQ(pick_of(1, 10000, x).columns[0], 0u);
    x[7] = x[8] = x[9000] = 2.0f;
    EXPECT_EQ(pick_of(1, 10000, x).columns[0], 7u);
}

TEST_F(PickTest, scores_far_from_zero_neither_overflow_nor_vanish) {
    for (float base : {-1e4f, 1e4f}) {
        std::vector<float> x(5000, base);
        x[4500] = base + 5;
        const Picked got = pick_of(1, 5000, x);
        EXPECT_EQ(got.columns[0], 4500u);
        EXPECT_NEAR(got.logs[0], log_softmax(x, 4500), 1e-5);
    }
}

TEST_F(PickTest, what_is_ruled_out_has_no_share) {
    std::vector<float> x(5000, -3.402823466e38f);
    x[4100] = -2;
    x[17] = -3;
    const Picked got = pick_of(1, 5000, x);
    EXPECT_EQ(got.columns[0], 4100u);
    EXPECT_NEAR(got.logs[0], -std::log(1 + std::exp(-1.0)), 1e-6);
}

TEST_F(PickTest, a_nan_is_never_the_best) {
    std::vector<float> x(5000, 0.0f);
    x[0] = x[4999] = NAN;
    x[3] = 1;
    const Picked got = pick_of(1, 5000, x);
    EXPECT_EQ(got.columns[0], 3u);
    EXPECT_NEAR(got.logs[0], log_softmax(x, 3), 1e-4);
}

TEST_F(PickTest, refuses_shapes_that_do_not_fit) {
    const Tensor x = random_tensor(1, 1, 8, Type::f32), three = poisoned(1, 3, 1, Type::f32);
    const Tensor best = poisoned(1, 1, 1, Type::u32), two = poisoned(2, 1, 1, Type::u32);
    EXPECT_THROW(pick(commands, two, three, x), Error);
    EXPECT_THROW(pick(commands, x, three, x), Error) << "columns are whole numbers";
    EXPECT_THROW(pick(commands, best, x, x), Error);
    EXPECT_THROW(pick(commands, best, three, random_tensor(1, 2, 8, Type::f32)), Error);
}

}  // namespace
}  // namespace saccade
