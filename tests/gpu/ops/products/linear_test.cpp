#include <cmath>

#include "gpu/ops/products.h"

#include "tests/gpu_test.h"

namespace saccade {
namespace {

class LinearTest : public GpuTest {
protected:
    struct Case {
        uint32_t rows, out, in;
    };
    struct Weights {
        std::vector<float> weight, bias;
        Linear linear;
    };
    Weights weights(const Case& c, Type type) {
        Weights w;
        w.weight = random(size_t(c.out) * c.in, type);
        w.bias = random(c.out);
        w.linear = {tensor(1, c.out, c.in, type, w.weight), tensor(1, 1, c.out, Type::f32, w.bias)};
        w.linear.fragments = fragments(w.linear.weight);
        return w;
    }
    static double activate(Activation activation, double x) {
        switch (activation) {
            case Activation::none:
                return x;
            case Activation::gelu_erf:
                return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
            case Activation::gelu_tanh:
                return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
            case Activation::quick_gelu:
                return x / (1 + std::exp(-1.702 * x));
            case Activation::relu:
                return std::max(x, 0.0);
            case Activation::tanh:
                return std::tanh(x);
            case Activation::sigmoid:
                return 1 / (1 + std::exp(-x));
            case Activation::silu:
                return x / (1 + std::exp(-x));
            case Activation::hard_swish:
                return x * std::clamp(x + 3, 0.0, 6.0) / 6;
            case Activation::clip:
                return std::clamp(x, -10.0, 10.0);
        }
        return x;
    }
    static std::vector<float> reference(const Case& c, std::span<const float> x, const Weights& w,
                                        bool bias, Activation activation) {
        std::vector<float> y(size_t(c.rows) * c.out);
        for (uint32_t m = 0; m < c.rows; ++m)
            for (uint32_t n = 0; n < c.out; ++n) {
                double sum = bias ? double(w.bias[n]) : 0.0;
                for (uint32_t k = 0; k < c.in; ++k)
                    sum += double(x[size_t(m) * c.in + k]) * double(w.weight[size_t(n) * c.in + k]);
                y[size_t(m) * c.out + n] = static_cast<float>(activate(activation, sum));
            }
        return y;
    }
};

constexpr Activation all_activations[] = {
    Activation::none,       Activation::gelu_erf, Activation::gelu_tanh, Activation::quick_gelu,
    Activation::relu,       Activation::tanh,     Activation::sigmoid,   Activation::silu,
    Activation::hard_swish, Activation::clip};

TEST_F(LinearTest, matches_plain_loops_at_odd_sizes_in_both_storage_types) {
    for (const Case& c : {Case{1, 10, 333}, Case{197, 24, 48}, Case{5, 333, 24}, Case{33, 65, 17},
                          Case{1, 1, 1}, Case{21, 16, 8}})
        for (Type type : {Type::f32, Type::f16}) {
            const Weights w = weights(c, type);
            const std::vector<float> x = random(size_t(c.rows) * c.in, type);
            const Tensor tx = tensor(1, c.rows, c.in, type, x);
            const auto y = run([&](Commands& r) { return linear(r, tx, w.linear); });
            EXPECT_LT(relative_error(y, reference(c, x, w, true, Activation::none)),
                      tolerance(type))
                << c.rows << " x " << c.out << " x " << c.in << " " << name_of(type);
        }
}

TEST_F(LinearTest, few_rows_match_plain_loops) {
    for (const Case& c :
         {Case{1, 768, 64}, Case{1, 9, 2056}, Case{1, 8200, 8}, Case{3, 17, 130}, Case{8, 65, 48}})
        for (Type type : {Type::f32, Type::f16}) {
            const Weights w = weights(c, type);
            const std::vector<float> x = random(size_t(c.rows) * c.in, type);
            const Tensor tx = tensor(1, c.rows, c.in, type, x);
            const Tensor y = poisoned(1, c.rows, c.out, Type::f32);
            const auto got = run([&](Commands& r) {
                linear_into(r, y, tx, w.linear, Activation::gelu_tanh);
                return y;
            });
            EXPECT_LT(relative_error(got, reference(c, x, w, true, Activation::gelu_tanh)), 1e-5)
                << c.rows << " x " << c.out << " x " << c.in << " " << name_of(type);
        }
}

TEST_F(LinearTest, applies_every_activation_with_and_without_a_bias) {
    const Case c{7, 19, 40};
    const Weights w = weights(c, Type::f32);
    const std::vector<float> x = random(size_t(c.rows) * c.in);
    const Tensor tx = tensor(1, c.rows, c.in, Type::f32, x);
    for (Activation activation : all_activations)
        for (bool bias : {true, false}) {
            const Linear l = bias ? w.linear : Linear{w.linear.weight, {}};
            const auto y = run([&](Commands& r) { return linear(r, tx, l, activation); });
            EXPECT_LT(relative_error(y, reference(c, x, w, bias, activation)), 1e-5)
                << "activation " << int(activation) << (bias ? " with bias" : "");
        }
}

TEST_F(LinearTest, activations_stay_finite_and_exact_far_from_zero) {
    // One input column of weight 1: the result is the activation itself.
    const std::vector<float> x = {-1e4f, -100.0f, -20.0f, -5.0f, -1e-3f, 0.0f, 0.5f, 20.0f, 1e4f};
    const Tensor tx = tensor(1, uint32_t(x.size()), 1, Type::f32, x);
    const Linear identity{tensor(1, 1, 1, Type::f32, std::vector<float>{1.0f}), {}};
    for (Activation activation : all_activations) {
        const auto y = run([&](Commands& r) { return linear(r, tx, identity, activation); });
        for (size_t i = 0; i < x.size(); ++i)
            EXPECT_NEAR(y[i], activate(activation, x[i]),
                        1e-6 * std::max(1.0, std::abs(double(x[i]))))
                << "activation " << int(activation) << " of " << x[i];
    }
}

// For many rows, as the tokens of a picture are, and for few: other kernels.
TEST_F(LinearTest, gelu_of_fp16_results_is_off_by_less_than_their_rounding) {
    std::vector<float> x;
    for (int i = -1600; i <= 1600; ++i) x.push_back(float(i) / 128);  // halves hold these exactly
    for (const float far : {-6e4f, -1000.0f, 1000.0f, 6e4f}) x.push_back(far);
    Linear identity{tensor(1, 1, 1, Type::f16, std::vector<float>{1.0f}), {}};
    identity.fragments = fragments(identity.weight);
    const Tensor all = tensor(1, uint32_t(x.size()), 1, Type::f16, x);
    for (const uint32_t rows : {all.rows, 1u}) {
        for (uint32_t first = 0; first < all.rows; first += rows == 1 ? 97 : rows) {
            const auto y = run([&](Commands& r) {
                return linear(r, all.slice_rows(first, rows), identity, Activation::gelu_erf);
            });
            for (uint32_t i = 0; i < rows; ++i) {
                const double want = activate(Activation::gelu_erf, double(x[first + i]));
                EXPECT_NEAR(y[i], want, 1.5e-5 + std::abs(want) * 0x1p-11)
                    << x[first + i] << ", one of " << rows << " rows";
            }
        }
    }
}

TEST_F(LinearTest, adds_to_an_fp32_stream_from_fp16_inputs) {
    const Case c{23, 50, 64};
    for (Type type : {Type::f32, Type::f16}) {
        const Weights w = weights(c, type);
        const std::vector<float> x = random(size_t(c.rows) * c.in, type);
        const std::vector<float> before = random(size_t(c.rows) * c.out);
        const Tensor tx = tensor(1, c.rows, c.in, type, x);
        const Tensor stream = tensor(1, c.rows, c.out, Type::f32, before);
        const auto y = run([&](Commands& r) {
            linear_add(r, stream, tx, w.linear);
            return stream;
        });
        std::vector<float> want = reference(c, x, w, true, Activation::none);
        for (size_t i = 0; i < want.size(); ++i) want[i] += before[i];
        EXPECT_LT(relative_error(y, want), 1e-5) << name_of(type);
    }
}

TEST_F(LinearTest, reads_and_writes_some_rows_of_every_batch) {
    // The class token of two pictures: row 0 of each batch of x, into row 2 of each batch of y.
    const Case c{2, 12, 24};
    const Weights w = weights(c, Type::f32);
    const std::vector<float> x = random(2 * 5 * 24);
    const Tensor tx = tensor(2, 5, 24, Type::f32, x);
    const Tensor ty = tensor(2, 3, 12, Type::f32, std::vector<float>(2 * 3 * 12, 9.0f));
    const auto y = run([&](Commands& r) {
        linear_into(r, ty.slice_rows(2, 1), tx.slice_rows(0, 1), w.linear);
        return ty;
    });
    std::vector<float> tokens(x.begin(), x.begin() + 24);
    tokens.insert(tokens.end(), x.begin() + 5 * 24, x.begin() + 6 * 24);
    const auto want = reference(c, tokens, w, true, Activation::none);
    for (uint32_t b = 0; b < 2; ++b)
        for (uint32_t j = 0; j < 12; ++j) {
            EXPECT_NEAR(y[(b * 3 + 2) * 12 + j], want[b * 12 + j], 1e-5);
            EXPECT_EQ(y[(b * 3 + 1) * 12 + j], 9.0f) << "another row was written";
        }
}

TEST_F(LinearTest, stores_what_fp16_cannot_hold_as_its_largest_number) {
    const std::vector<float> x(8, 200.0f), weight(8, 200.0f);
    const Tensor tx = tensor(1, 1, 8, Type::f16, x);
    const Linear w{tensor(1, 1, 8, Type::f16, weight), {}};
    const auto y = run([&](Commands& r) { return linear(r, tx, w); });
    EXPECT_EQ(y[0], 65504.0f);
}

TEST_F(LinearTest, refuses_shapes_that_do_not_fit) {
    const Tensor x = random_tensor(1, 4, 16, Type::f32);
    const Linear narrow{random_tensor(1, 8, 12, Type::f32), {}};
    const Linear half{random_tensor(1, 8, 16, Type::f16), {}};
    begin();
    EXPECT_THROW(linear(commands, x, narrow), Error);
    EXPECT_THROW(linear(commands, x, half), Error);
    finish();
}

}  // namespace
}  // namespace saccade
