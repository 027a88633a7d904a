#include <algorithm>
#include <limits>
#include <numeric>

#include "gpu/ops/rows.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

class SelectTest : public GpuTest {
protected:
    struct Found {
        std::vector<float> values;
        std::vector<uint32_t> picks;
    };
    Found select_from(const Tensor& x, uint32_t k) {
        const Tensor values_host = poisoned(x.batch, 1, k, Type::f32);
        const Tensor picks_host = poisoned(x.batch, 1, k, Type::u32);
        begin();
        const Selected found = select(commands, x, k);
        commands.copy_bytes(found.values, values_host);
        commands.copy_bytes(found.picks, picks_host);
        finish();
        expect_zero_padding(values_host);
        return {values(values_host), words(picks_host)};
    }
};

TEST_F(SelectTest, finds_the_best_of_all_rows_in_order_equal_ones_by_place) {
    struct Case {
        uint32_t batch, rows, columns, k;
    };
    for (const Case& c : {Case{1, 1, 1, 1}, Case{1, 1, 3000, 300}, Case{2, 30, 13, 41},
                          Case{1, 300, 80, 300}, Case{1, 1, 8400, 300}, Case{1, 7, 5, 35}}) {
        std::vector<float> x = random(size_t(c.batch) * c.rows * c.columns);
        for (float& v : x) v = std::round(v * 500);  // many are equal
        const Tensor tx = tensor(c.batch, c.rows, c.columns, Type::f32, x);
        const Found found = select_from(tx, c.k);
        const size_t each = size_t(c.rows) * c.columns;
        for (uint32_t b = 0; b < c.batch; ++b) {
            std::vector<uint32_t> order(each);
            std::iota(order.begin(), order.end(), 0u);
            std::ranges::stable_sort(order, std::greater(),
                                     [&](uint32_t i) { return x[b * each + i]; });
            for (uint32_t i = 0; i < c.k; ++i) {
                ASSERT_EQ(found.picks[b * c.k + i], order[i]) << i;
                ASSERT_EQ(found.values[b * c.k + i], x[b * each + order[i]]) << i;
            }
        }
    }
}

TEST_F(SelectTest, of_equal_ones_the_first_are_found) {
    const Tensor x = tensor(1, 9, 333, Type::f32, std::vector<float>(9 * 333, -0.5f));
    std::vector<uint32_t> first(1500);
    std::iota(first.begin(), first.end(), 0u);
    EXPECT_EQ(select_from(x, 1500).picks, first);
}

TEST_F(SelectTest, zeros_are_equal_whatever_their_sign) {
    const Tensor x = tensor(1, 1, 4, Type::f32, std::vector<float>{-0.0f, 0.0f, -0.0f, 1.0f});
    EXPECT_EQ(select_from(x, 4).picks, (std::vector<uint32_t>{3, 0, 1, 2}));
}

TEST_F(SelectTest, a_nan_comes_after_every_number) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const Tensor x = tensor(1, 1, 5, Type::f32, std::vector<float>{nan, -3, nan, 2, -1e30f});
    EXPECT_EQ(select_from(x, 5).picks, (std::vector<uint32_t>{3, 1, 4, 0, 2}));
}

TEST_F(SelectTest, refuses_more_than_there_are) {
    const Tensor x = random_tensor(1, 2, 3, Type::f32);
    begin();
    EXPECT_THROW(select(commands, x, 7), Error);
    EXPECT_THROW(select(commands, x, 0), Error);
    finish();
}

}  // namespace
}  // namespace saccade
