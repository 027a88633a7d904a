#include "tests/gpu/ops/grid_attention/relative_test.h"

namespace saccade {
namespace {

class RelativeScoresTest : public RelativeTest {};

TEST_F(RelativeScoresTest, matches_plain_loops_at_odd_sizes) {
    for (Type type : {Type::f32, Type::f16})
        for (const Case& c : cases()) {
            const Input in = input(c, 2, type);
            std::vector<float> want;
            for (uint32_t batch = 0; batch < 2; ++batch)
                for (uint32_t query = 0; query < area(c.queries); ++query)
                    for (uint32_t head = 0; head < c.heads; ++head) {
                        for (uint32_t i = 0; i < c.keys.y; ++i)
                            want.push_back(float(place_score(in, batch, head, query, true, i)));
                        for (uint32_t i = 0; i < c.keys.x; ++i)
                            want.push_back(float(place_score(in, batch, head, query, false, i)));
                    }
            const auto got =
                run([&](Commands& r) { return relative_scores(r, in.q, in.heads, in.places); });
            EXPECT_LT(relative_error(got, want), 1e-5) << "heads of " << c.size;
        }
}

TEST_F(RelativeScoresTest, refuses_tables_of_other_maps) {
    Input in = input(cases().front(), 1, Type::f32);
    begin();
    in.places.keys = {5, 4};
    EXPECT_THROW(relative_scores(commands, in.q, in.heads, in.places), Error);
    EXPECT_THROW(relative_scores(commands, in.q, {3}, in.places), Error);
    finish();
}

}  // namespace
}  // namespace saccade
