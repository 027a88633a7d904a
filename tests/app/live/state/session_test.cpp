#include "app/live/state/session.h"

#include <gtest/gtest.h>

#include <set>

#include "app/live/state/controls.h"
#include "app/live/window/window.h"

namespace saccade {
namespace {

TEST(SessionTest, sources_that_were_dropped_together_are_stepped_through) {
    Session session;
    press_key(session, page_down_key);
    EXPECT_TRUE(session.events.empty()) << "there is no other";
    choose_sources(session, {"a", "b", "c"});
    for (const char* next : {"b", "c", "a"}) {
        press_key(session, page_down_key);
        EXPECT_EQ(session.wishes.source, next);
    }
    press_key(session, page_up_key);
    EXPECT_EQ(session.wishes.source, "c");
    EXPECT_EQ(session.events.take<OpenSource>().size(), 5u);
    choose_source(session, "b");
    EXPECT_EQ(session.wishes.sources.size(), 3u);
    choose_source(session, "another");
    EXPECT_TRUE(session.wishes.sources.empty());
}

TEST(SessionTest, each_press_of_right_or_left_is_a_frame_of_a_file_that_stands) {
    Session session;
    for (int i = 0; i < 3; ++i) press_key(session, right_key);
    press_key(session, left_key);
    EXPECT_TRUE(session.wishes.frozen);
    const std::vector<Seek> seeks = session.events.take<Seek>();
    ASSERT_EQ(seeks.size(), 4u);
    for (size_t i = 0; i < 4; ++i) EXPECT_EQ(seeks[i].by, i < 3 ? 1 : -1);
}

TEST(SessionTest, layers_are_stepped_through_within_the_model) {
    Session session;
    session.status.choices.layers = 3;
    // At first it is the last one, whichever that is.
    for (uint32_t layer : {1u, 0u, 0u}) {
        press_key(session, U'[');
        EXPECT_EQ(session.wishes.look.attention.layer, layer);
    }
    for (uint32_t layer : {1u, 2u, 2u}) {
        press_key(session, U']');
        EXPECT_EQ(session.wishes.look.attention.layer, layer);
    }
    press_key(session, U'[');
    EXPECT_EQ(session.wishes.look.attention.layer, 1u);
}

TEST(SessionTest, a_digit_shows_that_head_if_the_model_has_it) {
    Session session;
    session.status.choices.heads = 3;
    press_key(session, U'2');
    EXPECT_EQ(session.wishes.look.attention.head, 2u) << "as files and options count: from 0";
    EXPECT_EQ(session.wishes.look.attention.mode, AttentionMode::head);
    press_key(session, U'3');
    EXPECT_EQ(session.wishes.look.attention.head, 2u) << "there is no fourth";
    press_key(session, U'0');
    EXPECT_EQ(session.wishes.look.attention.head, 0u);
}

TEST(SessionTest, b_goes_through_the_second_views_and_begins_with_the_other_model) {
    Session session;
    using enum SecondView::Kind;
    press_key(session, U'b');
    EXPECT_EQ(session.wishes.look.second.kind, bare);
    session.wishes.look.attention.layer = 3;
    press_key(session, U'b');
    EXPECT_EQ(session.wishes.look.second.kind, maps);
    EXPECT_EQ(session.wishes.look.second.model, MapModel::classifier);
    EXPECT_EQ(session.wishes.look.second.attention, session.wishes.look.attention)
        << "the same maps";
    press_key(session, U'b');
    EXPECT_EQ(session.wishes.look.second.kind, off);
}

TEST(SessionTest, keys_for_maps_are_for_the_view_under_the_mouse) {
    Session session;
    session.status.choices = {6, 4};
    session.status.second_choices = {3, 2};
    choose_second_view(session.wishes, SecondView::Kind::maps);
    session.pointer.over_second = true;
    const AttentionState first = session.wishes.look.attention;
    press_key(session, U'[');
    EXPECT_EQ(session.wishes.look.second.attention.layer, 1u) << "of three layers";
    press_key(session, U'3');
    EXPECT_EQ(session.wishes.look.second.attention.mode, AttentionMode::mean) << "it has two heads";
    press_key(session, U'1');
    EXPECT_EQ(session.wishes.look.second.attention.head, 1u);
    press_key(session, U'm');
    EXPECT_EQ(session.wishes.look.second.model, MapModel::detector);
    EXPECT_EQ(session.wishes.look.attention, first);
    EXPECT_EQ(session.wishes.look.model, MapModel::detector);
    session.pointer.over_second = false;
    press_key(session, U'3');
    EXPECT_EQ(session.wishes.look.attention.head, 3u);
    EXPECT_EQ(session.wishes.look.second.attention.head, 1u);
}

TEST(SessionTest, a_goes_through_all_attention_modes_and_comes_back) {
    Session session;
    std::set<AttentionMode> seen;
    for (size_t i = 0; i < std::size(attention_modes); ++i) {
        press_key(session, U'a');
        seen.insert(session.wishes.look.attention.mode);
    }
    EXPECT_EQ(seen.size(), std::size(attention_modes));
    EXPECT_EQ(session.wishes.look.attention.mode, AttentionMode::mean) << "which it is at first";
}

}  // namespace
}  // namespace saccade
