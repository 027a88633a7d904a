#include "app/live/view/region_editor.h"

#include <gtest/gtest.h>

namespace saccade {
namespace {

using namespace std::chrono_literals;

// A picture of 320 x 240 in a window, twice as large, 10 pixels from its left edge.
class RegionEditorTest : public ::testing::Test {
protected:
    RegionEditorTest() {
        scene.picture = {320, 240};
        scene.place = {10, 0, 640, 480};
        session.wishes.window.drawing = true;
    }
    bool does(WindowEvent::Kind kind, glm::vec2 place, char32_t key = 0) {
        WindowEvent event{kind};
        event.place = 2.0f * place + glm::vec2(10, 0);
        event.key = key;
        return editor.take(event, scene, session, now);
    }
    void click(glm::vec2 place) {
        now += 1s;
        EXPECT_TRUE(does(WindowEvent::Kind::press, place));
        does(WindowEvent::Kind::release, place);
    }
    void press_key(char32_t key) { does(WindowEvent::Kind::key, {}, key); }

    LiveScene scene;
    Session session;
    RegionEditor editor;
    RegionEditor::Clock::time_point now{};
};

TEST_F(RegionEditorTest, two_clicks_and_enter_are_a_line) {
    click({100, 20});
    click({100, 200});
    EXPECT_TRUE(session.wishes.regions.all.empty()) << "not before it is finished";
    press_key(enter_key);
    ASSERT_EQ(session.wishes.regions.all.size(), 1u);
    EXPECT_EQ(session.wishes.regions.all[0],
              (Region{.name = "line 1", .zone = false, .corners = {{100, 20}, {100, 200}}}));
    EXPECT_EQ(session.wishes.regions.size, (Size{320, 240}));
    EXPECT_TRUE(editor.sketch().empty());
}

TEST_F(RegionEditorTest, three_clicks_and_a_double_click_are_a_zone) {
    click({10, 10});
    click({100, 10});
    click({100, 100});
    click({10, 100});
    now += 100ms;
    does(WindowEvent::Kind::press, {11, 100});
    ASSERT_EQ(session.wishes.regions.all.size(), 1u);
    EXPECT_TRUE(session.wishes.regions.all[0].zone);
    EXPECT_EQ(session.wishes.regions.all[0].corners.size(), 4u);
    click({200, 10});
    click({300, 10});
    click({300, 100});
    click({201, 11});  // where it began
    ASSERT_EQ(session.wishes.regions.all.size(), 2u);
    EXPECT_EQ(session.wishes.regions.all[1].name, "zone 2");
    EXPECT_EQ(session.wishes.regions.all[1].corners.size(), 3u);
}

TEST_F(RegionEditorTest, lines_come_first_as_in_files) {
    for (const glm::vec2& place : {glm::vec2(10, 10), {90, 10}, {90, 90}}) click(place);
    press_key(enter_key);
    for (const glm::vec2& place : {glm::vec2(200, 10), {200, 90}}) click(place);
    press_key(enter_key);
    ASSERT_EQ(session.wishes.regions.all.size(), 2u);
    EXPECT_FALSE(session.wishes.regions.all[0].zone);
    EXPECT_TRUE(session.wishes.regions.all[1].zone);
}

TEST_F(RegionEditorTest, one_point_is_nothing) {
    click({100, 20});
    press_key(enter_key);
    EXPECT_TRUE(session.wishes.regions.all.empty());
}

TEST_F(RegionEditorTest, points_can_be_dragged) {
    click({100, 20});
    click({100, 200});
    press_key(enter_key);
    now += 1s;
    does(WindowEvent::Kind::press, {101, 199});
    does(WindowEvent::Kind::move, {150, 150});
    EXPECT_EQ(session.wishes.regions.all[0].corners[1], (glm::vec2{100, 200}))
        << "it counts where it was";
    EXPECT_EQ(editor.shown(session.wishes, scene.picture).all[0].corners[1], (glm::vec2{150, 150}));
    does(WindowEvent::Kind::release, {160, 160});
    EXPECT_EQ(session.wishes.regions.all[0].corners[1], (glm::vec2{160, 160}));
    EXPECT_TRUE(editor.sketch().empty());
}

TEST_F(RegionEditorTest, delete_takes_back_points_and_removes_what_was_touched) {
    click({100, 20});
    click({100, 200});
    click({50, 50});
    press_key(delete_key);
    press_key(enter_key);
    ASSERT_EQ(session.wishes.regions.all.size(), 1u);
    EXPECT_FALSE(session.wishes.regions.all[0].zone);
    press_key(delete_key);
    EXPECT_EQ(session.wishes.regions.all.size(), 1u) << "nothing was touched";
    click({100, 20});
    press_key(delete_key);
    EXPECT_TRUE(session.wishes.regions.all.empty());
}

TEST_F(RegionEditorTest, escape_drops_what_is_drawn_and_then_leaves) {
    click({100, 20});
    press_key(escape_key);
    EXPECT_TRUE(editor.sketch().empty());
    EXPECT_TRUE(session.wishes.window.drawing);
    press_key(escape_key);
    EXPECT_FALSE(session.wishes.window.drawing);
    EXPECT_TRUE(session.events.take<Quit>().empty());
}

TEST_F(RegionEditorTest, leaves_other_keys_and_the_rest_of_the_window_alone) {
    EXPECT_FALSE(does(WindowEvent::Kind::key, {}, U'k'));
    EXPECT_FALSE(does(WindowEvent::Kind::press, {-3, 50})) << "beside the picture";
    session.pointer.target.point = glm::vec2(5, 5);
    EXPECT_TRUE(does(WindowEvent::Kind::move, {50, 50}));
    EXPECT_FALSE(session.pointer.target.point) << "no maps while drawing";
}

TEST_F(RegionEditorTest, what_was_drawn_on_another_size_is_fitted) {
    session.wishes.regions = {
        .size = Size{640, 480},
        .all = {{.name = "door", .zone = false, .corners = {{200, 40}, {200, 400}}}}};
    now += 1s;
    does(WindowEvent::Kind::press, {100, 20});
    does(WindowEvent::Kind::release, {120, 20});
    EXPECT_EQ(session.wishes.regions.size, (Size{320, 240}));
    EXPECT_EQ(session.wishes.regions.all[0].corners,
              (std::vector<glm::vec2>{{120, 20}, {100, 200}}));
}

}  // namespace
}  // namespace saccade
