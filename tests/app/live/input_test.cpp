#include "app/live/input.h"

#include <gtest/gtest.h>

#include <glm/geometric.hpp>

namespace saccade {
namespace {

// A picture of 200 x 100 in the middle of a window, twice as large.
LiveScene scene() {
    LiveScene scene;
    scene.picture = {200, 100};
    scene.place = {10, 30, 400, 200};
    scene.detections = {{1, 0.9f, {0, 0, 150, 90}, 7}, {2, 0.8f, {100, 50, 140, 80}, 42}};
    for (float left = 0; left < 200; left += 20) scene.words.push_back({left, 90, left + 20, 100});
    return scene;
}

WindowEvent moved(float x, float y) { return {WindowEvent::Kind::move, 0, {x, y}, 0}; }
WindowEvent pressed(float x, float y, int button = 0) {
    return {WindowEvent::Kind::press, 0, {x, y}, button};
}

WindowEvent released(float x, float y, int button = 0) {
    return {WindowEvent::Kind::release, 0, {x, y}, button};
}

TEST(LiveInput, whoever_pulls_the_mouse_over_the_frozen_picture_draws_an_example) {
    LiveState state;
    LiveScene shown = scene();
    auto pull = [&](float to_x, float to_y) {
        apply_event(state, pressed(10 + 2 * 160, 30 + 2 * 60), shown, {});
        apply_event(state, moved(to_x, to_y), shown, {});
        const bool drawn = state.dragged.has_value();
        apply_event(state, released(to_x, to_y), shown, {});
        EXPECT_FALSE(state.dragged);
        return drawn;
    };
    EXPECT_FALSE(pull(10 + 2 * 120, 30 + 2 * 20)) << "it moves on";
    state.frozen = true;
    EXPECT_FALSE(pull(10 + 2 * 120, 30 + 2 * 20)) << "the detector takes no examples";
    shown.takes_examples = true;
    EXPECT_FALSE(pull(10 + 2 * 158, 30 + 2 * 20)) << "too thin for a box";
    EXPECT_TRUE(state.examples.empty());
    EXPECT_TRUE(pull(10 + 2 * 120, 30 + 2 * 20));
    ASSERT_EQ(state.examples.size(), 1u);
    const Rectangle box = state.examples[0].box;
    EXPECT_NEAR(glm::distance(box.min, glm::vec2(120, 20)), 0, 1e-3);
    EXPECT_NEAR(glm::distance(box.max, glm::vec2(160, 60)), 0, 1e-3);
    EXPECT_EQ(name_of(state.examples[0]), "like 1");
    EXPECT_FALSE(holds(state)) << "it was no click";
    EXPECT_TRUE(pull(10 + 2 * 180, 30 + 2 * 80));
    drop_example(state, "like 1");
    ASSERT_EQ(state.examples.size(), 1u);
    EXPECT_EQ(state.examples[0].number, 2u) << "numbers are not given twice";
}

TEST(LiveInput, the_mouse_points_at_pixels_of_the_picture) {
    LiveState state;
    apply_event(state, moved(10, 30), scene(), {});
    EXPECT_EQ(state.pointer, (glm::vec2{0, 0}));
    apply_event(state, moved(210, 130), scene(), {});
    EXPECT_EQ(state.pointer, (glm::vec2{100, 50}));
    for (const WindowEvent& beside : {moved(9, 100), moved(410, 100), moved(100, 29),
                                      moved(100, 230), WindowEvent{WindowEvent::Kind::leave}}) {
        state.pointer = glm::vec2{1, 1};
        apply_event(state, beside, scene(), {});
        EXPECT_FALSE(state.pointer) << beside.place.x << ", " << beside.place.y;
    }
}

TEST(LiveInput, a_word_of_the_caption_under_the_mouse_is_chosen_while_it_is_there) {
    LiveState state;
    apply_event(state, moved(10 + 2 * 50, 30 + 2 * 95), scene(), {});
    EXPECT_EQ(state.word, 2u);
    apply_event(state, moved(10 + 2 * 50, 30 + 2 * 50), scene(), {});
    EXPECT_FALSE(state.word);
    state.caption = false;
    apply_event(state, moved(10 + 2 * 50, 30 + 2 * 95), scene(), {});
    EXPECT_FALSE(state.word) << "no caption is shown";
}

TEST(LiveInput, a_click_holds_the_smallest_box_there_and_another_one_lets_it_go) {
    LiveState state;
    apply_event(state, pressed(10 + 2 * 20, 30 + 2 * 20), scene(), {});
    EXPECT_EQ(state.query, 7u);
    EXPECT_TRUE(state.knows_holding);
    apply_event(state, pressed(10 + 2 * 120, 30 + 2 * 60), scene(), {});
    EXPECT_EQ(state.query, 42u);
    apply_event(state, pressed(5, 5), scene(), {});
    EXPECT_EQ(state.query, 42u) << "beside the picture";
    apply_event(state, pressed(10 + 2 * 120, 30 + 2 * 60, 1), scene(), {});
    EXPECT_EQ(state.query, 42u) << "another button";
    apply_event(state, pressed(10 + 2 * 120, 30 + 2 * 60), scene(), {});
    EXPECT_FALSE(holds(state)) << "the same again";
    apply_event(state, pressed(10 + 2 * 20, 30 + 2 * 20), scene(), {});
    apply_event(state, pressed(10 + 2 * 180, 30 + 2 * 20), scene(), {});
    EXPECT_FALSE(holds(state)) << "beside all boxes";
}

TEST(LiveInput, a_click_beside_all_boxes_holds_the_patch_while_the_mouse_goes_on) {
    LiveState state;
    apply_event(state, pressed(10 + 2 * 180, 30 + 2 * 20), scene(), {});
    EXPECT_EQ(state.held, (glm::vec2{180, 20}));
    apply_event(state, moved(10, 30), scene(), {});
    EXPECT_EQ(state.held, (glm::vec2{180, 20}));
    apply_event(state, pressed(10 + 2 * 170, 30 + 2 * 20), scene(), {});
    EXPECT_FALSE(holds(state));
    state.boxes = false;
    apply_event(state, pressed(10 + 2 * 20, 30 + 2 * 20), scene(), {});
    EXPECT_FALSE(state.query) << "no box is shown";
    EXPECT_TRUE(state.held);
}

TEST(LiveInput, a_click_on_a_word_holds_it) {
    LiveState state;
    apply_event(state, moved(10 + 2 * 50, 30 + 2 * 95), scene(), {});
    apply_event(state, pressed(10 + 2 * 50, 30 + 2 * 95), scene(), {});
    apply_event(state, moved(10 + 2 * 50, 30 + 2 * 20), scene(), {});
    EXPECT_EQ(state.word, 2u) << "the mouse is elsewhere";
    apply_event(state, pressed(10 + 2 * 180, 30 + 2 * 20), scene(), {});
    EXPECT_FALSE(state.word);
    EXPECT_FALSE(holds(state));
}

TEST(LiveInput, files_that_are_dropped_are_the_source_and_those_behind_it) {
    LiveState state;
    WindowEvent drop{WindowEvent::Kind::drop};
    drop.paths = {"/photos/a.jpg"};
    apply_event(state, drop, scene(), {});
    EXPECT_EQ(state.source, "/photos/a.jpg");
    drop.paths = {"/videos/a.mp4", "/videos/b.mp4"};
    apply_event(state, drop, scene(), {});
    EXPECT_EQ(state.source, "/videos/a.mp4");
    EXPECT_EQ(state.sources, drop.paths);
    EXPECT_EQ(state.opened, 2u);
}

TEST(LiveInput, a_key_that_is_held_down_acts_once) {
    LiveState state;
    WindowEvent key{WindowEvent::Kind::key, U' '};
    apply_event(state, key, scene(), {});
    key.repeated = true;
    apply_event(state, key, scene(), {});
    EXPECT_TRUE(state.frozen);
}

TEST(LiveInput, in_a_tile_the_mouse_points_at_what_the_tile_shows) {
    LiveState state;
    LiveScene tiled = scene();
    tiled.tiles.emplace(Size{200, 100}, 4, 2);
    // The fourth tile begins at (100, 50), and is 98 x 48 large.
    apply_event(state, moved(10 + 2 * 149, 30 + 2 * 62), tiled, {});
    EXPECT_EQ(state.pointer, (glm::vec2{100, 25}));
    apply_event(state, moved(10 + 2 * 99, 30 + 2 * 20), tiled, {});
    EXPECT_FALSE(state.pointer) << "between two";
    apply_event(state, pressed(10 + 2 * (100 + 60), 30 + 2 * (50 + 30)), tiled, {});
    EXPECT_EQ(state.query, 42u);
}

TEST(LiveInput, what_a_panel_has_is_not_the_pictures) {
    LiveState state;
    apply_event(state, moved(210, 130), scene(), {});
    apply_event(state, moved(212, 130), scene(), {.mouse = true});
    EXPECT_FALSE(state.pointer);
    apply_event(state, pressed(10 + 2 * 20, 30 + 2 * 20), scene(), {.mouse = true});
    EXPECT_FALSE(holds(state));
    apply_event(state, {WindowEvent::Kind::key, U'q'}, scene(), {.keyboard = true});
    EXPECT_FALSE(state.quit);
    apply_event(state, {WindowEvent::Kind::key, U'q'}, scene(), {.mouse = true});
    EXPECT_TRUE(state.quit) << "keys are for the picture unless a text is typed";
}

TEST(LiveInput, without_a_picture_there_is_nothing_to_point_at) {
    LiveState state;
    apply_event(state, moved(100, 100), LiveScene{}, {});
    apply_event(state, pressed(100, 100), LiveScene{}, {});
    EXPECT_FALSE(state.pointer);
    EXPECT_FALSE(state.query);
}

// The picture twice: beside itself, or below.
LiveScene compared(bool below) {
    LiveScene two = scene();
    two.second = {below, false, std::nullopt};
    const Size all = size_of(two);
    two.place = {10, 30, 2 * all.x, 2 * all.y};
    return two;
}

TEST(LiveInput, two_views_have_one_pointer) {
    for (bool below : {false, true}) {
        const LiveScene two = compared(below);
        const Size corner = two_views(two.picture, below).corner;
        LiveState state;
        apply_event(state, moved(10 + 2 * 50, 30 + 2 * 20), two, {});
        EXPECT_EQ(state.pointer, (glm::vec2{50, 20}));
        EXPECT_FALSE(state.over_second);
        const float x = 10 + 2 * float(corner.x + 50), y = 30 + 2 * float(corner.y + 20);
        apply_event(state, moved(x, y), two, {});
        ASSERT_TRUE(state.pointer);
        EXPECT_NEAR(state.pointer->x, 50, 1e-3) << "the same place";
        EXPECT_NEAR(state.pointer->y, 20, 1e-3);
        EXPECT_TRUE(state.over_second);
        apply_event(state, pressed(x, y), two, {});
        EXPECT_EQ(state.query, 7u) << "boxes are there, too";
        apply_event(state,
                    moved(float(below ? 100 : 10 + 2 * 201), float(below ? 30 + 2 * 101 : 100)),
                    two, {});
        EXPECT_FALSE(state.pointer) << "between them";
    }
}

TEST(LiveInput, words_are_in_the_second_view_unless_it_is_bare) {
    LiveScene two = compared(false);
    const auto word =
        moved(10 + 2 * float(two_views(two.picture, false).corner.x + 50), 30 + 2 * 95);
    LiveState state;
    apply_event(state, word, two, {});
    EXPECT_EQ(state.word, 2u);
    two.second->bare = true;
    apply_event(state, word, two, {});
    EXPECT_FALSE(state.word);
}

}  // namespace
}  // namespace saccade
