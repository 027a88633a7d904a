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

TEST(LiveInput, dragging_over_the_frozen_picture_draws_an_example) {
    Session session;
    LiveScene shown = scene();
    auto pull = [&](float to_x, float to_y) {
        apply_event(session, pressed(10 + 2 * 160, 30 + 2 * 60), shown, {});
        apply_event(session, moved(to_x, to_y), shown, {});
        const bool drawn = session.pointer.dragged.has_value();
        apply_event(session, released(to_x, to_y), shown, {});
        EXPECT_FALSE(session.pointer.dragged);
        return drawn;
    };
    EXPECT_FALSE(pull(10 + 2 * 120, 30 + 2 * 20)) << "it moves on";
    session.wishes.frozen = true;
    EXPECT_FALSE(pull(10 + 2 * 120, 30 + 2 * 20)) << "the detector takes no examples";
    shown.takes_examples = true;
    EXPECT_FALSE(pull(10 + 2 * 158, 30 + 2 * 20)) << "too thin for a box";
    EXPECT_TRUE(session.wishes.examples.empty());
    EXPECT_TRUE(pull(10 + 2 * 120, 30 + 2 * 20));
    ASSERT_EQ(session.wishes.examples.size(), 1u);
    const Rectangle box = session.wishes.examples[0].box;
    EXPECT_NEAR(glm::distance(box.min, glm::vec2(120, 20)), 0, 1e-3);
    EXPECT_NEAR(glm::distance(box.max, glm::vec2(160, 60)), 0, 1e-3);
    EXPECT_EQ(name_of(session.wishes.examples[0]), "like 1");
    EXPECT_FALSE(holds(session.pointer)) << "it was no click";
    EXPECT_TRUE(pull(10 + 2 * 180, 30 + 2 * 80));
    drop_example(session.wishes, "like 1");
    ASSERT_EQ(session.wishes.examples.size(), 1u);
    EXPECT_EQ(session.wishes.examples[0].number, 2u) << "numbers are not given twice";
}

TEST(LiveInput, the_mouse_points_at_pixels_of_the_picture) {
    Session session;
    apply_event(session, moved(10, 30), scene(), {});
    EXPECT_EQ(session.pointer.target.point, (glm::vec2{0, 0}));
    apply_event(session, moved(210, 130), scene(), {});
    EXPECT_EQ(session.pointer.target.point, (glm::vec2{100, 50}));
    for (const WindowEvent& beside : {moved(9, 100), moved(410, 100), moved(100, 29),
                                      moved(100, 230), WindowEvent{WindowEvent::Kind::leave}}) {
        session.pointer.target.point = glm::vec2{1, 1};
        apply_event(session, beside, scene(), {});
        EXPECT_FALSE(session.pointer.target.point) << beside.place.x << ", " << beside.place.y;
    }
}

TEST(LiveInput, a_word_of_the_caption_under_the_mouse_is_chosen_while_it_is_there) {
    Session session;
    apply_event(session, moved(10 + 2 * 50, 30 + 2 * 95), scene(), {});
    EXPECT_EQ(session.pointer.target.word, 2u);
    apply_event(session, moved(10 + 2 * 50, 30 + 2 * 50), scene(), {});
    EXPECT_FALSE(session.pointer.target.word);
    session.wishes.look.caption = false;
    apply_event(session, moved(10 + 2 * 50, 30 + 2 * 95), scene(), {});
    EXPECT_FALSE(session.pointer.target.word) << "no caption is shown";
}

TEST(LiveInput, a_click_holds_the_smallest_box_there_and_another_one_lets_it_go) {
    Session session;
    apply_event(session, pressed(10 + 2 * 20, 30 + 2 * 20), scene(), {});
    EXPECT_EQ(session.pointer.target.query, 7u);
    EXPECT_TRUE(session.wishes.window.knows_holding);
    apply_event(session, pressed(10 + 2 * 120, 30 + 2 * 60), scene(), {});
    EXPECT_EQ(session.pointer.target.query, 42u);
    apply_event(session, pressed(5, 5), scene(), {});
    EXPECT_EQ(session.pointer.target.query, 42u) << "beside the picture";
    apply_event(session, pressed(10 + 2 * 120, 30 + 2 * 60, 1), scene(), {});
    EXPECT_EQ(session.pointer.target.query, 42u) << "another button";
    apply_event(session, pressed(10 + 2 * 120, 30 + 2 * 60), scene(), {});
    EXPECT_FALSE(holds(session.pointer)) << "the same again";
    apply_event(session, pressed(10 + 2 * 20, 30 + 2 * 20), scene(), {});
    apply_event(session, pressed(10 + 2 * 180, 30 + 2 * 20), scene(), {});
    EXPECT_FALSE(holds(session.pointer)) << "beside all boxes";
}

TEST(LiveInput, a_click_beside_all_boxes_holds_the_patch_while_the_mouse_goes_on) {
    Session session;
    apply_event(session, pressed(10 + 2 * 180, 30 + 2 * 20), scene(), {});
    EXPECT_EQ(session.pointer.target.held, (glm::vec2{180, 20}));
    apply_event(session, moved(10, 30), scene(), {});
    EXPECT_EQ(session.pointer.target.held, (glm::vec2{180, 20}));
    apply_event(session, pressed(10 + 2 * 170, 30 + 2 * 20), scene(), {});
    EXPECT_FALSE(holds(session.pointer));
    session.wishes.look.boxes = false;
    apply_event(session, pressed(10 + 2 * 20, 30 + 2 * 20), scene(), {});
    EXPECT_FALSE(session.pointer.target.query) << "no box is shown";
    EXPECT_TRUE(session.pointer.target.held);
}

TEST(LiveInput, a_click_on_a_word_holds_it) {
    Session session;
    apply_event(session, moved(10 + 2 * 50, 30 + 2 * 95), scene(), {});
    apply_event(session, pressed(10 + 2 * 50, 30 + 2 * 95), scene(), {});
    apply_event(session, moved(10 + 2 * 50, 30 + 2 * 20), scene(), {});
    EXPECT_EQ(session.pointer.target.word, 2u) << "the mouse is elsewhere";
    apply_event(session, pressed(10 + 2 * 180, 30 + 2 * 20), scene(), {});
    EXPECT_FALSE(session.pointer.target.word);
    EXPECT_FALSE(holds(session.pointer));
}

TEST(LiveInput, files_that_are_dropped_are_the_source_and_those_behind_it) {
    Session session;
    WindowEvent drop{WindowEvent::Kind::drop};
    drop.paths = {"/photos/a.jpg"};
    apply_event(session, drop, scene(), {});
    EXPECT_EQ(session.wishes.source, "/photos/a.jpg");
    drop.paths = {"/videos/a.mp4", "/videos/b.mp4"};
    apply_event(session, drop, scene(), {});
    EXPECT_EQ(session.wishes.source, "/videos/a.mp4");
    EXPECT_EQ(session.wishes.sources, (std::vector<SourceName>{"/videos/a.mp4", "/videos/b.mp4"}));
    EXPECT_EQ(session.events.take<OpenSource>().size(), 2u);
}

TEST(LiveInput, a_key_that_is_held_down_acts_once) {
    Session session;
    WindowEvent key{WindowEvent::Kind::key, U' '};
    apply_event(session, key, scene(), {});
    key.repeated = true;
    apply_event(session, key, scene(), {});
    EXPECT_TRUE(session.wishes.frozen);
}

TEST(LiveInput, in_a_tile_the_mouse_points_at_what_the_tile_shows) {
    Session session;
    LiveScene tiled = scene();
    tiled.tiles.emplace(Size{200, 100}, 4, 2);
    // The fourth tile begins at (100, 50), and is 98 x 48 large.
    apply_event(session, moved(10 + 2 * 149, 30 + 2 * 62), tiled, {});
    EXPECT_EQ(session.pointer.target.point, (glm::vec2{100, 25}));
    apply_event(session, moved(10 + 2 * 99, 30 + 2 * 20), tiled, {});
    EXPECT_FALSE(session.pointer.target.point) << "between two";
    apply_event(session, pressed(10 + 2 * (100 + 60), 30 + 2 * (50 + 30)), tiled, {});
    EXPECT_EQ(session.pointer.target.query, 42u);
}

TEST(LiveInput, what_a_panel_has_is_not_the_pictures) {
    Session session;
    apply_event(session, moved(210, 130), scene(), {});
    apply_event(session, moved(212, 130), scene(), {.mouse = true});
    EXPECT_FALSE(session.pointer.target.point);
    apply_event(session, pressed(10 + 2 * 20, 30 + 2 * 20), scene(), {.mouse = true});
    EXPECT_FALSE(holds(session.pointer));
    apply_event(session, {WindowEvent::Kind::key, U'q'}, scene(), {.keyboard = true});
    EXPECT_TRUE(session.events.take<Quit>().empty());
    apply_event(session, {WindowEvent::Kind::key, U'q'}, scene(), {.mouse = true});
    EXPECT_FALSE(session.events.take<Quit>().empty())
        << "keys are for the picture unless a text is typed";
}

TEST(LiveInput, without_a_picture_there_is_nothing_to_point_at) {
    Session session;
    apply_event(session, moved(100, 100), LiveScene{}, {});
    apply_event(session, pressed(100, 100), LiveScene{}, {});
    EXPECT_FALSE(session.pointer.target.point);
    EXPECT_FALSE(session.pointer.target.query);
}

// The picture twice: side by side, or one above the other.
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
        Session session;
        apply_event(session, moved(10 + 2 * 50, 30 + 2 * 20), two, {});
        EXPECT_EQ(session.pointer.target.point, (glm::vec2{50, 20}));
        EXPECT_FALSE(session.pointer.over_second);
        const float x = 10 + 2 * float(corner.x + 50), y = 30 + 2 * float(corner.y + 20);
        apply_event(session, moved(x, y), two, {});
        ASSERT_TRUE(session.pointer.target.point);
        EXPECT_NEAR(session.pointer.target.point->x, 50, 1e-3) << "the same place";
        EXPECT_NEAR(session.pointer.target.point->y, 20, 1e-3);
        EXPECT_TRUE(session.pointer.over_second);
        apply_event(session, pressed(x, y), two, {});
        EXPECT_EQ(session.pointer.target.query, 7u) << "boxes are there, too";
        apply_event(session,
                    moved(float(below ? 100 : 10 + 2 * 201), float(below ? 30 + 2 * 101 : 100)),
                    two, {});
        EXPECT_FALSE(session.pointer.target.point) << "between them";
    }
}

TEST(LiveInput, words_are_in_the_second_view_unless_it_is_bare) {
    LiveScene two = compared(false);
    const auto word =
        moved(10 + 2 * float(two_views(two.picture, false).corner.x + 50), 30 + 2 * 95);
    Session session;
    apply_event(session, word, two, {});
    EXPECT_EQ(session.pointer.target.word, 2u);
    two.second->bare = true;
    apply_event(session, word, two, {});
    EXPECT_FALSE(session.pointer.target.word);
}

TEST(LiveInput, a_resting_mouse_points_at_the_word_that_comes_under_it) {
    LiveScene shown = scene();
    Session session;
    apply_event(session, moved(10 + 2 * 50, 30 + 2 * 95), shown, {});
    EXPECT_EQ(session.pointer.target.word, 2u);
    shown.words.erase(shown.words.begin());  // a caption that grows moves to the left
    follow_words(session, shown);
    EXPECT_EQ(session.pointer.target.word, 1u);
    shown.words.clear();
    follow_words(session, shown);
    EXPECT_FALSE(session.pointer.target.word);

    shown = scene();
    follow_words(session, shown);
    apply_event(session, pressed(10 + 2 * 50, 30 + 2 * 95), shown, {});
    shown.words.erase(shown.words.begin());
    follow_words(session, shown);
    EXPECT_EQ(session.pointer.target.word, 2u) << "it was clicked and stays";

    release_held(session.pointer);
    shown.tiles = TileGrid({200, 100}, 4, 2);
    follow_words(session, shown);
    EXPECT_FALSE(session.pointer.target.word)
        << "a tile shows another pixel than the one at its place";
}

}  // namespace
}  // namespace saccade
