#include "tests/gpu/ops/grid_attention/relative_test.h"

namespace saccade {
namespace {

class RelativeAttentionTest : public RelativeTest {};

TEST_F(RelativeAttentionTest, matches_plain_loops_with_and_without_the_query) {
    for (Type type : {Type::f32, Type::f16})
        for (const bool residual : {false, true})
            for (const Case& c : cases()) {
                const Input in = input(c, 2, type);
                const auto got = run([&](Commands& r) {
                    const Tensor scores = relative_scores(r, in.q, in.heads, in.places);
                    return relative_attention(r, in.q, in.k, in.v, in.heads, {in.places, scores},
                                              residual);
                });
                std::vector<float> want;
                for (uint32_t batch = 0; batch < 2; ++batch)
                    for (uint32_t query = 0; query < in.q.rows; ++query)
                        for (uint32_t head = 0; head < c.heads; ++head) {
                            const std::vector<double> weights = weights_of(in, batch, head, query);
                            for (size_t d = 0; d < c.size; ++d) {
                                double sum =
                                    residual ? in.value(in.q_values, in.q, batch, query, head, d)
                                             : 0;
                                for (uint32_t key = 0; key < in.k.rows; ++key)
                                    sum += weights[key] *
                                           in.value(in.v_values, in.v, batch, key, head, d);
                                want.push_back(static_cast<float>(sum));
                            }
                        }
                EXPECT_LT(relative_error(got, want), tolerance(type)) << "heads of " << c.size;
            }
}

TEST_F(RelativeAttentionTest, refuses_shapes_that_do_not_fit) {
    const Input in = input(cases()[1], 1, Type::f32);
    const Tensor scores = random_tensor(1, 30, 10, Type::f32);
    begin();
    auto attend = [&](const Tensor& q, const Tensor& terms) {
        relative_attention(commands, q, in.k, in.v, in.heads, {in.places, terms}, true);
    };
    EXPECT_THROW(attend(in.k, scores), Error);
    EXPECT_THROW(attend(in.q, in.q), Error);
    finish();
}

}  // namespace
}  // namespace saccade
