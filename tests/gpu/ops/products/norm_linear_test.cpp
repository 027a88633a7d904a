#include <cmath>

#include "gpu/ops/norms.h"
#include "gpu/ops/products.h"

#include "tests/gpu_test.h"

namespace saccade {
namespace {

class NormLinearTest : public GpuTest {
protected:
    struct Case {
        uint32_t rows, out, in;
        Type type = Type::f32;
        bool bias = true;
    };
    struct Weights {
        std::vector<float> gain, shift, weight, bias;
        Norm norm;
        Linear linear;
    };
    Weights weights(const Case& c) {
        Weights w;
        w.gain = random(c.in);
        w.shift = random(c.in);
        w.weight = random(size_t(c.out) * c.in, c.type);
        w.bias = random(c.out);
        w.norm = {tensor(1, 1, c.in, Type::f32, w.gain), tensor(1, 1, c.in, Type::f32, w.shift),
                  1e-5f};
        w.linear = {tensor(1, c.out, c.in, c.type, w.weight), {}};
        if (c.bias) w.linear.bias = tensor(1, 1, c.out, Type::f32, w.bias);
        return w;
    }
    static std::vector<float> reference(const Case& c, std::span<const float> x, const Weights& w) {
        std::vector<float> y;
        for (size_t m = 0; m < c.rows; ++m) {
            const auto row = x.subspan(m * c.in, c.in);
            double mean = 0, variance = 0;
            for (float v : row) mean += double(v) / c.in;
            for (float v : row) variance += (double(v) - mean) * (double(v) - mean) / c.in;
            for (size_t n = 0; n < c.out; ++n) {
                double sum = c.bias ? double(w.bias[n]) : 0;
                for (size_t k = 0; k < c.in; ++k)
                    sum +=
                        ((double(row[k]) - mean) / std::sqrt(variance + 1e-5) * double(w.gain[k]) +
                         double(w.shift[k])) *
                        double(w.weight[n * c.in + k]);
                y.push_back(static_cast<float>(sum));
            }
        }
        return y;
    }
};

TEST_F(NormLinearTest, matches_plain_loops_for_one_row_for_a_few_and_for_many) {
    for (const Case& c :
         {Case{1, 40, 48}, Case{1, 7, 333, Type::f16}, Case{1, 1, 1}, Case{3, 65, 17},
          Case{4, 24, 64, Type::f16}, Case{8, 33, 40}, Case{30, 24, 48}, Case{20, 9, 24, Type::f16},
          Case{.rows = 1, .out = 19, .in = 100, .bias = false}}) {
        const Weights w = weights(c);
        std::vector<float> x = random(size_t(c.rows) * c.in);
        for (float& v : x) v += 3;  // a mean that is not 0
        const Tensor tx = tensor(1, c.rows, c.in, Type::f32, x);
        const auto y = run([&](Commands& r) { return norm_linear(r, tx, w.norm, w.linear); });
        EXPECT_LT(relative_error(y, reference(c, x, w)), tolerance(c.type))
            << c.rows << " x " << c.out << " x " << c.in << " " << name_of(c.type);
    }
}

TEST_F(NormLinearTest, is_layer_norm_and_linear_one_after_the_other) {
    const Case c{1, 50, 72};
    const Weights w = weights(c);
    const Tensor x = random_tensor(1, 1, 72, Type::f32);
    const auto together = run(
        [&](Commands& r) { return norm_linear(r, x, w.norm, w.linear, Activation::gelu_tanh); });
    const auto apart = run([&](Commands& r) {
        return linear(r, layer_norm(r, x, w.norm, Type::f32), w.linear, Activation::gelu_tanh);
    });
    EXPECT_LT(relative_error(together, apart), 1e-6);
}

TEST_F(NormLinearTest, a_row_of_each_batch_goes_to_a_row_of_each_batch) {
    // Beams: the stream is (3, 1, 24), the result row 2 of columns 8 to 40 of (3, 5, 48).
    for (Type type : {Type::f32, Type::f16}) {
        const Case c{3, 32, 24, type};
        const Weights w = weights(c);
        const std::vector<float> x = random(3 * 24);
        const Tensor tx = tensor(3, 1, 24, Type::f32, x);
        const Tensor ty = tensor(3, 5, 48, type, std::vector<float>(3 * 5 * 48, 9.0f));
        const auto y = run([&](Commands& r) {
            norm_linear_into(r, ty.slice_rows(2, 1).slice_columns(8, 32), tx, w.norm, w.linear);
            return ty;
        });
        const auto want = reference(c, x, w);
        std::vector<float> got;
        size_t untouched = 0;
        for (size_t i = 0; i < y.size(); ++i) {
            const size_t row = i / 48 % 5, column = i % 48;
            if (row == 2 && column >= 8 && column < 40)
                got.push_back(y[i]);
            else
                untouched += y[i] == 9.0f;
        }
        EXPECT_LT(relative_error(got, want), tolerance(type));
        EXPECT_EQ(untouched, y.size() - got.size());
    }
}

TEST_F(NormLinearTest, a_row_too_long_for_shared_memory_is_normalised_beforehand) {
    const Case c{1, 8, 5000};
    const Weights w = weights(c);
    const std::vector<float> x = random(5000);
    const Tensor tx = tensor(1, 1, 5000, Type::f32, x);
    const auto y = run([&](Commands& r) { return norm_linear(r, tx, w.norm, w.linear); });
    EXPECT_LT(relative_error(y, reference(c, x, w)), 1e-5);
}

TEST_F(NormLinearTest, refuses_shapes_that_do_not_fit) {
    const Weights w = weights({1, 8, 24});
    const Tensor x = random_tensor(1, 1, 16, Type::f32), half = random_tensor(1, 1, 24, Type::f16);
    EXPECT_THROW(norm_linear(commands, x, w.norm, w.linear), Error);
    EXPECT_THROW(norm_linear(commands, half, w.norm, w.linear), Error) << "the stream is fp32";
    EXPECT_THROW(norm_linear(commands, random_tensor(1, 1, 24, Type::f32), weights({1, 8, 16}).norm,
                             w.linear),
                 Error);
}

}  // namespace
}  // namespace saccade
