#include "tests/gpu/ops/attention/additive_test.h"

namespace saccade {
namespace {

class AdditiveAttentionTest : public AdditiveTest {};

TEST_F(AdditiveAttentionTest, matches_plain_loops_at_odd_sizes) {
    for (Type type : {Type::f32, Type::f16})
        for (const Case& c : cases()) {
            const Input in = input(c, type);
            std::vector<float> want;
            for (uint32_t row = 0; row < c.batch * c.queries; ++row) {
                const uint32_t batch = row / c.queries;
                const std::vector<double> weights = weights_of(in, batch, row % c.queries);
                for (uint32_t i = 0; i < c.channels; ++i) {
                    double sum = 0;
                    for (uint32_t key = 0; key < c.keys; ++key)
                        sum += weights[key] *
                               double(in.v_values[(size_t(batch) * c.keys + key) * c.channels + i]);
                    want.push_back(static_cast<float>(double(in.gate_values[row]) * sum));
                }
            }
            const auto got = run([&](Commands& r) {
                const Tensor y = r.scratch(c.batch, c.queries, c.channels, type);
                additive_attention_into(r, y, in.q, in.k, in.v, in.gate, in.how);
                return y;
            });
            EXPECT_LT(relative_error(got, want), tolerance(type)) << c.keys << " keys";
        }
}

// tanh ends at 1 long before half precision does, and no score is too large for a softmax.
TEST_F(AdditiveAttentionTest, huge_keys_and_queries_give_numbers) {
    constexpr uint32_t keys = 40, columns = 8;
    std::vector<float> k(keys * columns, 60000.0f), w(columns, 5000.0f);
    for (uint32_t i = columns; i < k.size(); ++i) k[i] = -60000.0f;
    const Tensor v = random_tensor(1, keys, 4, Type::f16);
    const auto got = run([&](Commands& r) {
        const Tensor y = r.scratch(1, 2, 4, Type::f16);
        additive_attention_into(r, y,
                                tensor(1, 2, columns, Type::f32, std::vector<float>(16, 1e6f)),
                                tensor(1, keys, columns, Type::f16, k), v,
                                tensor(1, 2, 1, Type::f32, std::vector<float>{1, 1}),
                                {tensor(1, 1, columns, Type::f32, w)});
        return y;
    });
    for (float value : got) EXPECT_TRUE(std::isfinite(value));
}

TEST_F(AdditiveAttentionTest, refuses_shapes_that_do_not_fit) {
    const Input in = input({2, 3, 49, 20, 13}, Type::f32);
    const Input other = input({2, 3, 49, 24, 13}, Type::f32);
    begin();
    const Tensor y = poisoned(2, 3, 13, Type::f32);
    auto attend = [&](const Tensor& to, const Tensor& q, const Tensor& gate, const Additive& how) {
        additive_attention_into(commands, to, q, in.k, in.v, gate, how);
    };
    EXPECT_THROW(attend(y, other.q, in.gate, in.how), Error);
    EXPECT_THROW(attend(y, in.q, in.gate, other.how), Error);
    EXPECT_THROW(attend(y, in.q, in.q, in.how), Error);
    EXPECT_THROW(attend(poisoned(2, 3, 12, Type::f32), in.q, in.gate, in.how), Error);
    finish();
}

}  // namespace
}  // namespace saccade
