#include <cmath>

#include "gpu/ops/norms.h"
#include "shaders/norms/params.h"

#include "tests/gpu_test.h"

namespace saccade {
namespace {

class LayerNormTest : public GpuTest {
protected:
    struct Weights {
        std::vector<float> weight, bias;
        Norm norm;
    };
    Weights weights(uint32_t columns, float eps = 1e-5f) {
        Weights w;
        w.weight = random(columns);
        w.bias = random(columns);
        w.norm = {tensor(1, 1, columns, Type::f32, w.weight),
                  tensor(1, 1, columns, Type::f32, w.bias), eps};
        return w;
    }
    static std::vector<float> reference(std::span<const float> x, const Weights& w) {
        const size_t columns = w.weight.size();
        std::vector<float> y(x.size());
        for (size_t row = 0; row < x.size(); row += columns) {
            double mean = 0, variance = 0;
            for (size_t j = 0; j < columns; ++j) mean += double(x[row + j]);
            mean /= double(columns);
            for (size_t j = 0; j < columns; ++j) variance += std::pow(double(x[row + j]) - mean, 2);
            variance /= double(columns);
            for (size_t j = 0; j < columns; ++j)
                y[row + j] = static_cast<float>((double(x[row + j]) - mean) /
                                                    std::sqrt(variance + double(w.norm.eps)) *
                                                    double(w.weight[j]) +
                                                double(w.bias[j]));
        }
        return y;
    }
};

// On GPUs threads hold their part of a row, here in every number of rounds, on any device.
TEST_F(LayerNormTest, a_row_held_in_registers_gives_the_same) {
    constexpr uint32_t threads = 16, rows = 3;
    for (uint32_t columns : {10u, 64u, 100u, 190u, 256u}) {
        const Weights w = weights(columns);
        const std::vector<float> x = random(size_t(rows) * columns);
        const Tensor tx = tensor(1, rows, columns, Type::f32, x);
        const Tensor y = poisoned(1, rows, columns, Type::f32);
        const params::LayerNormParams p{
            {0, 0, tx.row_stride}, {0, 0, y.row_stride}, rows, columns, w.norm.eps};
        const uint32_t rounds = (padded(columns) / 4 + threads - 1) / threads;
        const auto got = run([&](Commands& c) {
            c.use_plain_kernels(true);
            c.dispatch(Kernel("layer_norm", Type::f32, Type::f32, {threads, rounds}),
                       {threads, rows},
                       {read(tx), read(w.norm.weight), read(w.norm.bias), write(y)}, p);
            c.use_plain_kernels(false);
            return y;
        });
        EXPECT_LT(relative_error(got, reference(x, w)), 1e-5) << columns << " columns";
    }
}

TEST_F(LayerNormTest, matches_plain_loops_at_odd_sizes_in_every_pair_of_storage_types) {
    struct Case {
        uint32_t rows, columns;
    };
    for (const Case& c :
         {Case{1, 1}, Case{197, 120}, Case{5, 333}, Case{1, 7}, Case{3, 12}, Case{2, 1024}})
        for (Type in : {Type::f32, Type::f16})
            for (Type out : {Type::f32, Type::f16}) {
                const Weights w = weights(c.columns);
                const std::vector<float> x = random(size_t(c.rows) * c.columns, in);
                const Tensor tx = tensor(1, c.rows, c.columns, in, x);
                const auto y = run([&](Commands& r) { return layer_norm(r, tx, w.norm, out); });
                EXPECT_LT(relative_error(y, reference(x, w)), tolerance(out))
                    << c.rows << " x " << c.columns << " " << name_of(in) << " to " << name_of(out);
            }
}

TEST_F(LayerNormTest, keeps_its_precision_where_the_mean_is_large) {
    const Weights w = weights(333);
    std::vector<float> x = random(3 * 333);
    for (float& value : x) value += 1000.0f;
    const Tensor tx = tensor(1, 3, 333, Type::f32, x);
    const auto y = run([&](Commands& r) { return layer_norm(r, tx, w.norm, Type::f32); });
    // The mean is known to half a unit in the last place of 1000, and rows spread by about 0.6.
    EXPECT_LT(relative_error(y, reference(x, w)), 2e-4);
}

TEST_F(LayerNormTest, a_row_of_equal_values_gives_the_bias) {
    const Weights w = weights(19);
    const Tensor tx = tensor(1, 2, 19, Type::f32, std::vector<float>(2 * 19, 0.5f));
    const auto y = run([&](Commands& r) { return layer_norm(r, tx, w.norm, Type::f32); });
    for (size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], w.bias[i % 19], 1e-4);
}

TEST_F(LayerNormTest, eps_counts_where_rows_are_nearly_flat) {
    for (float eps : {1e-12f, 1e-6f, 0.1f}) {
        const Weights w = weights(24, eps);
        std::vector<float> x = random(2 * 24);
        for (float& value : x) value *= 1e-3f;
        const Tensor tx = tensor(1, 2, 24, Type::f32, x);
        const auto y = run([&](Commands& r) { return layer_norm(r, tx, w.norm, Type::f32); });
        EXPECT_LT(relative_error(y, reference(x, w)), 1e-5) << "eps " << eps;
    }
}

TEST_F(LayerNormTest, reads_some_rows_of_every_batch) {
    // The class token of two pictures.
    const Weights w = weights(40);
    const std::vector<float> x = random(2 * 5 * 40);
    const Tensor tx = tensor(2, 5, 40, Type::f32, x);
    const auto y =
        run([&](Commands& r) { return layer_norm(r, tx.slice_rows(1, 2), w.norm, Type::f32); });
    std::vector<float> rows(x.begin() + 40, x.begin() + 3 * 40);
    rows.insert(rows.end(), x.begin() + 6 * 40, x.begin() + 8 * 40);
    EXPECT_LT(relative_error(y, reference(rows, w)), 1e-5);
}

TEST_F(LayerNormTest, reads_some_columns_of_every_row) {
    const Weights w = weights(16);
    const std::vector<float> x = random(7 * 40);
    const Tensor tx = tensor(1, 7, 40, Type::f32, x);
    const auto y =
        run([&](Commands& r) { return layer_norm(r, tx.slice_columns(8, 16), w.norm, Type::f32); });
    std::vector<float> columns;
    for (uint32_t row = 0; row < 7; ++row)
        columns.insert(columns.end(), x.begin() + row * 40 + 8, x.begin() + row * 40 + 24);
    EXPECT_LT(relative_error(y, reference(columns, w)), 1e-5);
}

TEST_F(LayerNormTest, works_in_place) {
    for (uint32_t columns : {7u, 256u, 1000u}) {
        const Weights w = weights(columns);
        const std::vector<float> x = random(5 * columns);
        const Tensor tx = tensor(1, 5, columns, Type::f32, x);
        const auto y = run([&](Commands& r) {
            layer_norm_into(r, tx, tx, w.norm);
            return tx;
        });
        EXPECT_LT(relative_error(y, reference(x, w)), 1e-5) << columns << " columns";
    }
    begin();
    EXPECT_THROW(layer_norm_into(commands, poisoned(1, 4, 7, Type::f32),
                                 random_tensor(1, 5, 7, Type::f32), weights(7).norm),
                 Error);
    finish();
}

TEST_F(LayerNormTest, takes_more_rows_than_a_dispatch_has_workgroups) {
    const uint32_t rows = 70'000;
    const Weights w = weights(4);
    std::vector<float> x = random(4 * rows);
    for (size_t i = 0; i < x.size(); ++i) x[i] += float(i % 4);  // no row is all but constant
    const Tensor tx = tensor(1, rows, 4, Type::f32, x);
    const auto y = run([&](Commands& r) { return layer_norm(r, tx, w.norm, Type::f32); });
    EXPECT_LT(relative_error(y, reference(x, w)), 1e-5);
}

TEST_F(LayerNormTest, refuses_weights_that_do_not_fit) {
    const Tensor x = random_tensor(1, 4, 16, Type::f32);
    const Tensor good = random_tensor(1, 1, 16, Type::f32);
    const Tensor two = random_tensor(1, 1, 32, Type::f32);
    begin();
    EXPECT_THROW(layer_norm(commands, x, {two, good}, Type::f32), Error);
    EXPECT_THROW(layer_norm(commands, x, {good, random_tensor(1, 1, 16, Type::f16)}, Type::f32),
                 Error);
    EXPECT_THROW(layer_norm(commands, x, {good, two.slice_columns(16, 16)}, Type::f32), Error);
    EXPECT_THROW(layer_norm(commands, x, {good, {}}, Type::f32), Error);
    finish();
}

}  // namespace
}  // namespace saccade
