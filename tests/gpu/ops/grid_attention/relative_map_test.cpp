#include "tests/gpu/ops/grid_attention/relative_test.h"

namespace saccade {
namespace {

class RelativeMapTest : public RelativeTest {};

TEST_F(RelativeMapTest, is_the_weights_of_some_queries_and_heads) {
    for (Type type : {Type::f32, Type::f16})
        for (const Case& c : cases()) {
            const Input in = input(c, 1, type);
            const uint32_t last = in.q.rows - 2, head = c.heads - 1;
            const auto got = run([&](Commands& r) {
                const Tensor scores = relative_scores(r, in.q, in.heads, in.places);
                const Tensor map = r.scratch(1, 2, in.k.rows, Type::f32);
                relative_map(r, map, in.q, in.k, in.heads, {in.places, scores}, {last, 2, head, 1});
                return map;
            });
            for (uint32_t row = 0; row < 2; ++row) {
                const std::vector<double> want = weights_of(in, 0, head, last + row);
                for (size_t key = 0; key < want.size(); ++key)
                    EXPECT_NEAR(got[row * want.size() + key], want[key], 1e-5);
            }
        }
}

TEST_F(RelativeMapTest, refuses_rows_that_are_not_there) {
    const Input in = input(cases().front(), 1, Type::f32);
    const Tensor map = poisoned(1, 2, 16, Type::f32), scores = random_tensor(1, 16, 8, Type::f32);
    begin();
    const RelativeTerms terms{in.places, scores};
    auto map_of = [&](const MapRange& range) {
        relative_map(commands, map, in.q, in.k, in.heads, terms, range);
    };
    EXPECT_THROW(map_of({15, 2, 0, 1}), Error);
    EXPECT_THROW(map_of({0, 2, 1, 1}), Error);
    finish();
}

}  // namespace
}  // namespace saccade
