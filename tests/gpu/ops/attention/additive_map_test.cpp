#include "tests/gpu/ops/attention/additive_test.h"

namespace saccade {
namespace {

class AdditiveMapTest : public AdditiveTest {};

TEST_F(AdditiveMapTest, is_the_weights_of_additive_attention) {
    for (Type type : {Type::f32, Type::f16})
        for (const Case& c : cases()) {
            const Input in = input(c, type);
            const uint32_t first = c.queries - 1;
            const auto got = run([&](Commands& r) {
                const Tensor map = r.scratch(c.batch, 1, c.keys, Type::f32);
                additive_map(r, map, in.q, in.k, in.how, first);
                return map;
            });
            for (uint32_t batch = 0; batch < c.batch; ++batch) {
                const std::vector<double> weights = weights_of(in, batch, first);
                for (uint32_t key = 0; key < c.keys; ++key)
                    EXPECT_NEAR(got[size_t(batch) * c.keys + key], weights[key], 1e-5);
            }
        }
}

TEST_F(AdditiveMapTest, refuses_queries_that_are_not_there) {
    const Input in = input({1, 3, 9, 20, 8}, Type::f32);
    begin();
    EXPECT_THROW(additive_map(commands, poisoned(1, 2, 9, Type::f32), in.q, in.k, in.how, 2),
                 Error);
    EXPECT_THROW(additive_map(commands, poisoned(1, 1, 8, Type::f32), in.q, in.k, in.how), Error);
    finish();
}

}  // namespace
}  // namespace saccade
