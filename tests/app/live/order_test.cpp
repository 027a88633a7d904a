#include "app/live/order.h"

#include "tests/models/detection/detection_fixture.h"

namespace saccade {
namespace {

class OrderTest : public DetectionTest {};

// In encoders without attention a patch has no maps: the box at that place is looked at instead.
TEST_F(OrderTest, the_box_under_the_pointer_is_the_target_where_patches_do_not_attend) {
    Detector lite = make(Golden("deimv2-lite-nano"), Type::f32);
    Models models;
    models.detector = &lite;
    const Detection found[] = {{.id = 1, .score = 0.9f, .box = {{10, 10}, {90, 90}}, .query = 3},
                               {.id = 2, .score = 0.8f, .box = {{20, 20}, {50, 50}}, .query = 7}};
    const Caption nothing_said;
    const LastResult last{nothing_said, found, {100, 100}};
    auto looker = [&](const Target& target) {
        return choose_looker({target, MapModel::detector, AttentionMode::mean}, models, last);
    };
    for (const bool held : {false, true}) {
        Target target;
        (held ? target.held : target.point) = glm::vec2(30, 30);
        EXPECT_EQ(looker(target).token, Looker::Token::query);
        EXPECT_EQ(looker(target).query, 7u) << "of the smallest box";
        (held ? target.held : target.point) = glm::vec2(95, 95);
        EXPECT_EQ(looker(target).token, Looker::Token::none);
    }
}

TEST(DrawnForTest, changes_with_the_mouse_only_while_maps_are_shown) {
    Wishes wishes;
    Target target;
    const DrawnFor before = drawn_for(wishes, target);
    target.point = glm::vec2(3, 4);
    EXPECT_NE(drawn_for(wishes, target), before);
    wishes.look.attention.mode = AttentionMode::off;
    EXPECT_EQ(drawn_for(wishes, target), drawn_for(wishes, {}));
    wishes.look.second.kind = SecondView::Kind::maps;
    EXPECT_NE(drawn_for(wishes, target), drawn_for(wishes, {}));
}

}  // namespace
}  // namespace saccade
