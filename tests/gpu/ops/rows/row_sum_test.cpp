#include "tests/gpu_test.h"

#include "gpu/ops/rows.h"

namespace saccade {
namespace {

class RowSumTest : public GpuTest {
protected:
    static std::vector<float> reference(std::span<const float> y, std::span<const float> weights,
                                        std::span<const float> map, const RowSum& sum) {
        const size_t columns = y.size(), rows = map.size() / columns / sum.heads;
        std::vector<float> result(columns);
        for (size_t j = 0; j < columns; ++j) {
            double total = 0;
            for (size_t h = 0; h < sum.heads; ++h)
                for (size_t r = 0; r < rows; ++r)
                    total += double(weights[sum.first_row + r]) *
                             double(map[(h * rows + r) * columns + j]);
            const double kept = sum.keep != 0.0f ? double(sum.keep) * double(y[j]) : 0.0;
            result[j] = static_cast<float>(kept + double(sum.scale) * total);
        }
        return result;
    }
};

TEST_F(RowSumTest, matches_plain_loops_at_odd_sizes) {
    struct Case {
        uint32_t heads, rows, columns, first_row;
    };
    for (const Case& c : {Case{1, 1, 1, 0}, Case{5, 7, 197, 0}, Case{3, 2, 333, 10},
                          Case{12, 16, 17, 1}, Case{1, 197, 4, 0}}) {
        const std::vector<float> before = random(c.columns);
        const std::vector<float> weights = random(c.first_row + c.rows);
        const std::vector<float> map = random(size_t(c.heads) * c.rows * c.columns);
        const Tensor y = tensor(1, 1, c.columns, Type::f32, before);
        const Tensor w = tensor(1, 1, c.first_row + c.rows, Type::f32, weights);
        const Tensor m = tensor(1, c.heads * c.rows, c.columns, Type::f32, map);
        const RowSum sum{c.heads, c.first_row, 0.5f, 0.25f};
        const auto got = run([&](Commands& r) {
            row_sum(r, y, w, m, sum);
            return y;
        });
        EXPECT_LT(relative_error(got, reference(before, weights, map, sum)), 1e-5)
            << c.heads << " heads, " << c.rows << " rows, " << c.columns << " columns";
    }
}

TEST_F(RowSumTest, keeping_nothing_does_not_look_at_what_was_there) {
    const std::vector<float> weights = random(6), map = random(6 * 19);
    const Tensor w = tensor(1, 1, 6, Type::f32, weights);
    const Tensor m = tensor(1, 6, 19, Type::f32, map);
    const auto got = run([&](Commands& r) {
        const Tensor y = r.scratch(1, 1, 19, Type::f32);  // full of NaN
        row_sum(r, y, w, m, {.heads = 1});
        return y;
    });
    EXPECT_LT(relative_error(got, reference(std::vector<float>(19), weights, map, {.heads = 1})),
              1e-5);
}

TEST_F(RowSumTest, sums_a_map_piece_by_piece) {
    // Two pieces of four rows each, the second added to the first: as one of eight.
    const std::vector<float> weights = random(8), map = random(8 * 17);
    const Tensor w = tensor(1, 1, 8, Type::f32, weights);
    const Tensor m = tensor(1, 8, 17, Type::f32, map);
    const auto got = run([&](Commands& r) {
        const Tensor y = r.scratch(1, 1, 17, Type::f32);
        row_sum(r, y, w, m.slice_rows(0, 4), {.heads = 1, .first_row = 0, .keep = 0});
        row_sum(r, y, w, m.slice_rows(4, 4), {.heads = 1, .first_row = 4, .keep = 1});
        return y;
    });
    EXPECT_LT(relative_error(got, reference(std::vector<float>(17), weights, map, {.heads = 1})),
              1e-5);
}

TEST_F(RowSumTest, refuses_shapes_that_do_not_fit) {
    const Tensor y = poisoned(1, 1, 17, Type::f32), w = random_tensor(1, 1, 6, Type::f32);
    const Tensor m = random_tensor(1, 6, 17, Type::f32);
    begin();
    EXPECT_THROW(row_sum(commands, y, w, m, {.heads = 4}), Error) << "6 rows in 4 heads";
    EXPECT_THROW(row_sum(commands, y, w, m, {.heads = 0}), Error);
    EXPECT_THROW(row_sum(commands, y, w, m, {.heads = 2, .first_row = 4}), Error)
        << "weights end first";
    EXPECT_THROW(row_sum(commands, poisoned(1, 1, 18, Type::f32), w, m, {.heads = 1}), Error);
    EXPECT_THROW(row_sum(commands, poisoned(1, 1, 17, Type::f16), w, m, {.heads = 1}), Error);
    EXPECT_THROW(row_sum(commands, y, w, random_tensor(2, 6, 17, Type::f32), {.heads = 1}), Error);
    finish();
}

}  // namespace
}  // namespace saccade
