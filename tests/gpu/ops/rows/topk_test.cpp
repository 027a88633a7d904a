#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "gpu/ops/rows.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

constexpr uint32_t nothing = 0xffffffff;

class TopkTest : public GpuTest {
protected:
    struct Found {
        std::vector<float> values;
        std::vector<uint32_t> columns;
        bool operator==(const Found&) const = default;
    };
    Found on_device(const Tensor& x, uint32_t k) {
        begin();
        const Top top = topk(commands, x, k);
        const Tensor values = poisoned(x.batch, x.rows, k, Type::f32);
        const Tensor columns = poisoned(x.batch, x.rows, k, Type::u32);
        commands.copy_bytes(top.values, values);
        commands.copy_bytes(top.columns, columns);
        finish();
        expect_zero_padding(values);
        expect_zero_padding(columns);
        return {this->values(values), words(columns)};
    }
    Found on_device(const std::vector<float>& row, uint32_t k) {
        return on_device(tensor(1, 1, uint32_t(row.size()), Type::f32, row), k);
    }
    static Found reference(std::span<const float> x, size_t columns, uint32_t k) {
        Found found;
        for (size_t row = 0; row < x.size(); row += columns) {
            std::vector<uint32_t> order(columns);
            std::iota(order.begin(), order.end(), 0u);
            std::ranges::stable_sort(order, std::greater(), [&](uint32_t j) { return x[row + j]; });
            for (uint32_t i = 0; i < k; ++i) {
                found.values.push_back(x[row + order[i]]);
                found.columns.push_back(order[i]);
            }
        }
        return found;
    }
};

TEST_F(TopkTest, matches_a_stable_sort_at_odd_sizes_in_both_storage_types) {
    struct Case {
        uint32_t batch, rows, columns, k;
    };
    for (const Case& c : {Case{1, 1, 1, 1}, Case{1, 197, 10, 5}, Case{2, 3, 333, 7},
                          Case{1, 1, 1000, 5}, Case{1, 2, 19, 1}, Case{1, 1, 21843, 300}})
        for (Type type : {Type::f32, Type::f16}) {
            const std::vector<float> x = random(size_t(c.batch) * c.rows * c.columns, type);
            const Tensor tx = tensor(c.batch, c.rows, c.columns, type, x);
            EXPECT_EQ(on_device(tx, c.k), reference(x, c.columns, c.k))
                << c.k << " of " << tx.shape();
        }
}

TEST_F(TopkTest, sorts_a_whole_row) {
    const std::vector<float> x = random(2 * 21);
    EXPECT_EQ(on_device(tensor(1, 2, 21, Type::f32, x), 21), reference(x, 21, 21));
}

TEST_F(TopkTest, equal_values_come_in_the_order_of_their_columns) {
    const std::vector<float> x = {1, 3, 3, 1, 3, 2, 2, 3, 1, 3, 0};
    EXPECT_EQ(on_device(x, 7).columns, (std::vector<uint32_t>{1, 2, 4, 7, 9, 5, 6}));
    const std::vector<float> same(333, 0.5f);
    EXPECT_EQ(on_device(same, 5).columns, (std::vector<uint32_t>{0, 1, 2, 3, 4}));
    // Zeros of both signs are equal.
    EXPECT_EQ(on_device({-0.0f, 0.0f, -0.0f}, 3).columns, (std::vector<uint32_t>{0, 1, 2}));
}

// Long rows are searched in slices first.
TEST_F(TopkTest, finds_a_few_in_long_rows) {
    constexpr uint32_t columns = 20011;
    for (uint32_t k : {1u, 6u, 24u}) {
        std::vector<float> x = random(3 * columns);
        for (size_t i = 0; i < columns; ++i) x[i] = std::floor(8 * x[i]);  // many are equal
        for (size_t i = 100; i < columns - 5; ++i) x[2 * columns + i] = NAN;
        const Found found = on_device(tensor(3, 1, columns, Type::f32, x), k);
        for (float& value : x)
            if (std::isnan(value)) value = -2.0f;  // below all others
        EXPECT_EQ(found, reference(x, columns, k)) << k;
    }
    std::vector<float> rare(columns, NAN);
    rare[7] = 1;
    rare[columns - 1] = 2;
    EXPECT_EQ(on_device(rare, 3), (Found{{2, 1, 0}, {columns - 1, 7, nothing}}));
}

TEST_F(TopkTest, negative_values_win_over_the_zeros_of_the_padding) {
    const std::vector<float> x = {-5, -3e38f, -2, -7, -1e-30f, -2, -9, -4, -6};
    EXPECT_EQ(on_device(x, 9), reference(x, 9, 9));
}

TEST_F(TopkTest, infinity_is_the_largest_and_its_negative_the_smallest) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const std::vector<float> x = {0, -infinity, infinity, 3e38f, -3e38f};
    EXPECT_EQ(on_device(x, 5), reference(x, 5, 5));
}

TEST_F(TopkTest, a_nan_is_never_chosen) {
    std::vector<float> x = random(333);
    x[0] = x[17] = x[332] = NAN;
    std::vector<float> sorted = x;
    for (float& value : sorted)
        if (std::isnan(value)) value = -2.0f;  // below all others
    EXPECT_EQ(on_device(x, 330), reference(sorted, 333, 330));
}

TEST_F(TopkTest, a_row_with_too_few_numbers_ends_in_column_ffffffff) {
    EXPECT_EQ(on_device({NAN, 2, NAN, 5, NAN}, 5),
              (Found{{5, 2, 0, 0, 0}, {3, 1, nothing, nothing, nothing}}));
    EXPECT_EQ(on_device({NAN}, 1), (Found{{0}, {nothing}}));
}

TEST_F(TopkTest, reads_some_columns_of_some_rows) {
    // All classes but the last: DETR's "no object".
    const std::vector<float> x = {1, 2, 3, 9, 3, 2, 1, 9, 0, 0, 5, 9, 0, 7, 5, 9};
    const Tensor tx = tensor(2, 2, 4, Type::f32, x).slice_columns(0, 3).slice_rows(1, 1);
    EXPECT_EQ(on_device(tx, 2), (Found{{3, 2, 7, 5}, {0, 1, 1, 2}}));
}

TEST_F(TopkTest, refuses_more_than_there_are) {
    const Tensor x = random_tensor(1, 2, 5, Type::f32);
    begin();
    EXPECT_THROW(topk(commands, x, 6), Error);
    EXPECT_THROW(topk(commands, x, 0), Error);
    EXPECT_THROW(
        topk_into(commands, {poisoned(1, 2, 3, Type::f32), poisoned(1, 2, 2, Type::u32)}, x),
        Error);
    EXPECT_THROW(
        topk_into(commands, {poisoned(1, 2, 3, Type::f32), poisoned(1, 2, 3, Type::f32)}, x),
        Error);
    EXPECT_THROW(
        topk_into(commands, {poisoned(1, 1, 3, Type::f32), poisoned(1, 1, 3, Type::u32)}, x),
        Error);
    finish();
}

}  // namespace
}  // namespace saccade
