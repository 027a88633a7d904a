#include "app/live/window/input_queue.h"

#include <GLFW/glfw3.h>
#include <gtest/gtest.h>

namespace saccade {
namespace {

using Kind = WindowEvent::Kind;

WindowEvent board(int code, bool down, int mods = 0) {
    WindowEvent event{Kind::board};
    event.board = {code, 0, mods, down};
    return event;
}
WindowEvent typed(char32_t key) { return {Kind::key, key}; }
std::vector<WindowEvent> letter(char32_t key) {
    return {board(GLFW_KEY_A + int(key - U'a'), true), typed(key),
            board(GLFW_KEY_A + int(key - U'a'), false)};
}
std::vector<size_t> frames_of(InputQueue& queue) {
    std::vector<size_t> sizes;
    while (!queue.empty()) sizes.push_back(queue.take().size());
    return sizes;
}

TEST(InputQueue, what_is_typed_goes_into_one_frame) {
    InputQueue queue;
    for (char32_t key : {U'a', U'b', U'a'}) queue.add(letter(key));
    EXPECT_EQ(frames_of(queue), (std::vector<size_t>{9}));
}

TEST(InputQueue, a_key_that_types_nothing_is_down_for_a_frame_and_keeps_its_turn) {
    InputQueue queue;
    queue.add(letter(U'a'));
    queue.add({board(GLFW_KEY_BACKSPACE, true), board(GLFW_KEY_BACKSPACE, false)});
    queue.add(letter(U'b'));
    // a; down; up; the key b, which has no meaning; the character that it types.
    EXPECT_EQ(frames_of(queue), (std::vector<size_t>{3, 1, 2, 2}));
}

TEST(InputQueue, a_shortcut_is_seen_key_by_key) {
    InputQueue queue;
    queue.add({board(GLFW_KEY_LEFT_CONTROL, true, GLFW_MOD_CONTROL),
               board(GLFW_KEY_A, true, GLFW_MOD_CONTROL),
               board(GLFW_KEY_A, false, GLFW_MOD_CONTROL),
               board(GLFW_KEY_LEFT_CONTROL, false, GLFW_MOD_CONTROL)});
    EXPECT_EQ(frames_of(queue), (std::vector<size_t>{1, 1, 1, 1}));
}

TEST(InputQueue, a_click_is_two_frames_at_the_place_where_it_was) {
    InputQueue queue;
    queue.add({{Kind::move}, {Kind::move}, {Kind::press}, {Kind::release}, {Kind::move}});
    EXPECT_EQ(frames_of(queue), (std::vector<size_t>{3, 1, 1}));
}

TEST(InputQueue, what_is_typed_after_a_click_comes_when_the_click_has_been_seen) {
    InputQueue queue;
    queue.add({{Kind::press}, {Kind::release}, typed(U'q')});
    EXPECT_EQ(frames_of(queue), (std::vector<size_t>{1, 1, 1}));
}

}  // namespace
}  // namespace saccade
