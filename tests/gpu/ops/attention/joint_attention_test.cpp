#include <cmath>

#include "gpu/ops/attention.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

using JointAttentionTest = GpuTest;

TEST_F(JointAttentionTest, is_one_softmax_over_heads_and_keys) {
    constexpr uint32_t queries = 3, keys = 11, heads = 5, head = 8;
    for (Type type : {Type::f32, Type::f16}) {
        const std::vector<float> q = random(queries * heads * head, type);
        const std::vector<float> k = random(keys * heads * head, type);
        std::vector<float> want;
        for (uint32_t i = 0; i < queries; ++i) {
            std::vector<double> all;
            double sum = 0;
            for (uint32_t key = 0; key < keys; ++key)
                for (uint32_t h = 0; h < heads; ++h) {
                    double score = 0;
                    for (uint32_t j = 0; j < head; ++j)
                        score += double(q[(i * heads + h) * head + j]) *
                                 double(k[(key * heads + h) * head + j]);
                    all.push_back(std::exp(0.5 * score));
                    sum += all.back();
                }
            for (double v : all) want.push_back(static_cast<float>(v / sum));
        }
        const Tensor tq = tensor(1, queries, heads * head, type, q);
        const Tensor tk = tensor(1, keys, heads * head, type, k);
        const auto y = run([&](Commands& c) {
            const Tensor to = c.scratch(queries, keys, heads, type);
            joint_attention_into(c, to, tq, tk, {heads, 0.5f});
            return to;
        });
        EXPECT_LT(relative_error(y, want), tolerance(type));
    }
}

}  // namespace
}  // namespace saccade
