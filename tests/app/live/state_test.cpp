#include "app/live/state.h"

#include <gtest/gtest.h>

#include <set>

#include "app/live/keys.h"
#include "app/live/window/window.h"

namespace saccade {
namespace {

TEST(LiveState, sources_that_were_dropped_together_are_stepped_through) {
    LiveState state;
    press_key(state, page_down_key);
    EXPECT_EQ(state.opened, 0u) << "there is no other";
    choose_sources(state, {"a", "b", "c"});
    for (const char* next : {"b", "c", "a"}) {
        press_key(state, page_down_key);
        EXPECT_EQ(state.source, next);
    }
    press_key(state, page_up_key);
    EXPECT_EQ(state.source, "c");
    EXPECT_EQ(state.opened, 5u);
    choose_source(state, "b");
    EXPECT_EQ(state.sources.size(), 3u);
    choose_source(state, "another");
    EXPECT_TRUE(state.sources.empty());
}

TEST(LiveState, layers_are_stepped_through_within_the_model) {
    LiveState state;
    state.choices.layers = 3;
    // At first it is the last one, whatever that is.
    for (uint32_t layer : {1u, 0u, 0u}) {
        press_key(state, U'[');
        EXPECT_EQ(state.attention.layer, layer);
    }
    for (uint32_t layer : {1u, 2u, 2u}) {
        press_key(state, U']');
        EXPECT_EQ(state.attention.layer, layer);
    }
    press_key(state, U'[');
    EXPECT_EQ(state.attention.layer, 1u);
}

TEST(LiveState, a_digit_shows_that_head_if_the_model_has_it) {
    LiveState state;
    state.choices.heads = 3;
    press_key(state, U'2');
    EXPECT_EQ(state.attention.head, 2u) << "as files and options count: from 0";
    EXPECT_EQ(state.attention.mode, AttentionMode::head);
    press_key(state, U'3');
    EXPECT_EQ(state.attention.head, 2u) << "there is no fourth";
    press_key(state, U'0');
    EXPECT_EQ(state.attention.head, 0u);
}

TEST(LiveState, b_goes_through_the_second_views_and_begins_with_the_other_model) {
    LiveState state;
    using enum SecondView::Kind;
    press_key(state, U'b');
    EXPECT_EQ(state.second.kind, bare);
    state.attention.layer = 3;
    press_key(state, U'b');
    EXPECT_EQ(state.second.kind, maps);
    EXPECT_EQ(state.second.asked, AskedModel::classifier);
    EXPECT_EQ(state.second.attention, state.attention) << "the same maps";
    press_key(state, U'b');
    EXPECT_EQ(state.second.kind, off);
}

TEST(LiveState, keys_for_maps_are_for_the_view_under_the_mouse) {
    LiveState state;
    state.choices = {6, 4};
    state.second_choices = {3, 2};
    choose_second_view(state, SecondView::Kind::maps);
    state.over_second = true;
    const AttentionState first = state.attention;
    press_key(state, U'[');
    EXPECT_EQ(state.second.attention.layer, 1u) << "of three layers";
    press_key(state, U'3');
    EXPECT_EQ(state.second.attention.mode, AttentionMode::mean) << "it has two heads";
    press_key(state, U'1');
    EXPECT_EQ(state.second.attention.head, 1u);
    press_key(state, U'm');
    EXPECT_EQ(state.second.asked, AskedModel::detector);
    EXPECT_EQ(state.attention, first);
    EXPECT_EQ(state.asked, AskedModel::detector);
    state.over_second = false;
    press_key(state, U'3');
    EXPECT_EQ(state.attention.head, 3u);
    EXPECT_EQ(state.second.attention.head, 1u);
}

TEST(LiveState, a_goes_through_all_attention_modes_and_comes_back) {
    LiveState state;
    std::set<AttentionMode> seen;
    for (size_t i = 0; i < std::size(attention_modes); ++i) {
        press_key(state, U'a');
        seen.insert(state.attention.mode);
    }
    EXPECT_EQ(seen.size(), std::size(attention_modes));
    EXPECT_EQ(state.attention.mode, AttentionMode::mean) << "which it is at first";
}

TEST(LiveState, escape_lets_go_what_is_held_before_it_quits) {
    LiveState state;
    for (auto hold : {+[](LiveState& s) { s.query = 3; },
                      +[](LiveState& s) {
                          s.held = {1, 2};
                      },
                      +[](LiveState& s) { s.word_held = true; }}) {
        hold(state);
        EXPECT_TRUE(holds(state));
        press_key(state, escape_key);
        EXPECT_FALSE(holds(state));
        EXPECT_FALSE(state.quit);
    }
    state.full_screen = true;
    press_key(state, escape_key);
    EXPECT_FALSE(state.full_screen || state.quit);
    press_key(state, escape_key);
    EXPECT_TRUE(state.quit);
}

TEST(Keys, each_does_what_the_help_says_whatever_the_case) {
    LiveState state;
    for (bool on : {true, false}) {
        press_key(state, U' ');
        EXPECT_EQ(state.frozen, on);
        press_key(state, U'R');
        EXPECT_EQ(state.recording, on);
        press_key(state, U'f');
        EXPECT_EQ(state.full_screen, on);
        press_key(state, U'H');
        EXPECT_EQ(state.help, on);
        press_key(state, U'd');
        EXPECT_EQ(state.boxes, !on);
        press_key(state, U'c');
        EXPECT_EQ(state.caption, !on);
        press_key(state, U'p');
        EXPECT_EQ(state.panels, !on);
        press_key(state, U't');
        EXPECT_EQ(state.truth, on);
        press_key(state, U'o');
        EXPECT_EQ(state.overview, on);
        press_key(state, U'm');
        EXPECT_EQ(state.asked, on ? AskedModel::classifier : AskedModel::detector);
    }
    press_key(state, U's');
    press_key(state, U'S');
    EXPECT_EQ(state.view_screenshots, 2u);
    press_key(state, U'e');
    EXPECT_EQ(state.screenshots, 1u);
    press_key(state, U'v');
    EXPECT_TRUE(state.view_recording);
    press_key(state, U'n');
    EXPECT_EQ(state.saved_maps, 1u);
    press_key(state, U'i');
    EXPECT_EQ(state.pages, 1u);
    EXPECT_TRUE(state.frozen) << "of this very frame";
    press_key(state, U'l');
    EXPECT_FALSE(state.classes);
    EXPECT_FALSE(state.quit);
    press_key(state, U'q');
    EXPECT_TRUE(state.quit);
    LiveState another;
    press_key(another, escape_key);
    EXPECT_TRUE(another.quit);
}

TEST(Keys, others_do_nothing) {
    LiveState state;
    for (char32_t key : {U'x', U'?', U'ä', U'\u4e00', U'\0'}) EXPECT_FALSE(press_key(state, key));
}

TEST(Keys, no_two_bindings_share_one) {
    std::set<char32_t> taken;
    for (const KeyBinding& binding : key_bindings())
        for (char32_t key = binding.first; key <= binding.last; ++key)
            EXPECT_TRUE(taken.insert(key).second) << binding.keys;
}

}  // namespace
}  // namespace saccade
