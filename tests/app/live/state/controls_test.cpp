#include "app/live/state/controls.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "app/live/order.h"
#include "app/live/window/window.h"

namespace saccade {
namespace {

bool quits(Session& session) { return !session.events.take<Quit>().empty(); }

TEST(Keys, each_does_what_the_help_says_whatever_the_case) {
    Session session;
    for (bool on : {true, false}) {
        press_key(session, U' ');
        EXPECT_EQ(session.wishes.frozen, on);
        press_key(session, U'R');
        EXPECT_EQ(session.wishes.recording, on);
        press_key(session, U'f');
        EXPECT_EQ(session.wishes.window.full_screen, on);
        press_key(session, U'H');
        EXPECT_EQ(session.wishes.window.help, on);
        press_key(session, U'd');
        EXPECT_EQ(session.wishes.look.boxes, !on);
        press_key(session, U'c');
        EXPECT_EQ(session.wishes.look.caption, !on);
        press_key(session, U'p');
        EXPECT_EQ(session.wishes.window.panels, !on);
        press_key(session, U'u');
        EXPECT_EQ(session.wishes.look.truth, on);
        press_key(session, U'o');
        EXPECT_EQ(session.wishes.look.overview, on);
        press_key(session, U'm');
        EXPECT_EQ(session.wishes.look.model, on ? MapModel::classifier : MapModel::detector);
    }
    press_key(session, U's');
    press_key(session, U'S');
    EXPECT_EQ(session.events.take<SaveView>().size(), 2u);
    press_key(session, U'e');
    EXPECT_EQ(session.events.take<SaveFrame>().size(), 1u);
    press_key(session, U'v');
    EXPECT_TRUE(session.wishes.view_recording);
    press_key(session, U'n');
    EXPECT_EQ(session.events.take<SaveMaps>().size(), 1u);
    press_key(session, U'i');
    press_key(session, U't');
    const std::vector<MakePage> pages = session.events.take<MakePage>();
    ASSERT_EQ(pages.size(), 2u);
    EXPECT_FALSE(pages[0].lecture);
    EXPECT_TRUE(pages[1].lecture);
    EXPECT_TRUE(session.wishes.frozen) << "of this very frame";
    press_key(session, U'l');
    EXPECT_FALSE(session.wishes.look.classes);
    EXPECT_FALSE(quits(session));
    press_key(session, U'q');
    EXPECT_TRUE(quits(session));
    Session another;
    press_key(another, escape_key);
    EXPECT_TRUE(quits(another));
}

TEST(Keys, escape_lets_go_what_is_held_before_it_quits) {
    Session session;
    for (auto hold : {+[](Pointer& p) { p.target.query = 3; },
                      +[](Pointer& p) {
                          p.target.held = {1, 2};
                      },
                      +[](Pointer& p) { p.word_held = true; }}) {
        hold(session.pointer);
        EXPECT_TRUE(holds(session.pointer));
        press_key(session, escape_key);
        EXPECT_FALSE(holds(session.pointer));
        EXPECT_FALSE(quits(session));
    }
    session.wishes.window.full_screen = true;
    press_key(session, escape_key);
    EXPECT_FALSE(session.wishes.window.full_screen || quits(session));
    press_key(session, escape_key);
    EXPECT_TRUE(quits(session));
}

TEST(Keys, others_do_nothing) {
    Session session;
    for (char32_t key : {U'y', U'?', U'ä', U'\u4e00', U'\0'}) EXPECT_FALSE(press_key(session, key));
}

TEST(Keys, no_two_bindings_share_one) {
    std::set<char32_t> taken;
    for (const Control& control : controls())
        for (char32_t key = control.key; key && key <= std::max(control.key, control.last_key);
             ++key)
            EXPECT_TRUE(taken.insert(key).second) << control.keys;
}

TEST(Switches, have_names_of_their_own_and_a_value_unless_they_are_the_pages_alone) {
    std::set<std::string> names;
    Wishes wishes;
    for (const Control& control : controls()) {
        SCOPED_TRACE(control.label);
        EXPECT_NE(control.is_switch(), control.press != nullptr);
        if (!control.is_switch()) continue;
        EXPECT_TRUE(names.insert(control.name).second);
        EXPECT_EQ(switch_named(control.name), &control);
        if (!value_of(control, wishes)) {
            EXPECT_EQ(control.page, PageScope::viewer);
            EXPECT_FALSE(control.saved || control.key);
        }
        if (control.panel != PanelPart::none || control.page == PageScope::viewer) {
            EXPECT_STRNE(control.tip, "");
        }
    }
    EXPECT_EQ(switch_named(""), nullptr);
    EXPECT_EQ(switch_named("no such switch"), nullptr);
}

TEST(Switches, draw_a_picture_that_stands_still_again_if_they_say_so) {
    for (const Control& control : controls()) {
        Wishes wishes;
        bool* const value = value_of(control, wishes);
        if (!value || value == &wishes.frozen || value == &wishes.recording) continue;
        const DrawnFor before = drawn_for(wishes, {});
        *value = !*value;
        EXPECT_EQ(drawn_for(wishes, {}) != before, control.redraws()) << control.name;
    }
}

TEST(Switches, tell_their_keys_in_their_tips) {
    EXPECT_EQ(tip_of(*switch_named("boxes")), "boxes (D): around what the detector has found");
    EXPECT_TRUE(tip_of(*switch_named("fixed_scale")).starts_with("one scale for all: "));
}

}  // namespace
}  // namespace saccade
