#include "app/live/order.h"

#include "tests/models/detection/detection_fixture.h"

namespace saccade {
namespace {

class OrderTest : public DetectionTest {};

// Encoders without attention have no cell that looks anywhere: the box at that place answers.
TEST_F(OrderTest, who_points_at_cells_that_do_not_look_asks_the_box_there) {
    Detector lite = make(Golden("deimv2-lite-nano"), Type::f32);
    Models models;
    models.detector = &lite;
    const Detection found[] = {{.id = 1, .score = 0.9f, .box = {{10, 10}, {90, 90}}, .query = 3},
                               {.id = 2, .score = 0.8f, .box = {{20, 20}, {50, 50}}, .query = 7}};
    const Caption nothing_said;
    const LastSeen seen{nothing_said, found, {100, 100}};
    auto looker = [&](const LiveState& state) {
        return choose_looker(state, AskedModel::detector, AttentionMode::mean, models, seen);
    };
    for (const bool held : {false, true}) {
        LiveState state;
        (held ? state.held : state.pointer) = glm::vec2(30, 30);
        EXPECT_EQ(looker(state).token, Looker::Token::query);
        EXPECT_EQ(looker(state).query, 7u) << "of the smallest box";
        (held ? state.held : state.pointer) = glm::vec2(95, 95);
        EXPECT_EQ(looker(state).token, Looker::Token::none);
    }
}

}  // namespace
}  // namespace saccade
