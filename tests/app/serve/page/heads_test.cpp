// The table of heads on the page, whose clicks keep heads off.

#include <gtest/gtest.h>

#include "tests/app/serve/page/stubbed_page.h"

namespace saccade {
namespace {

using Json = nlohmann::json;

// A picture with a map of cause, of a model with two layers.
Json cause_message(int number) {
    Json message = picture_message(number, {320, 240}, {{"cat", 0.9, {10, 10, 90, 90}}}, {});
    message["map"] = {
        {"who", "query"},
        {"query", 0},
        {"kind", "cause"},
        {"layer", 0},
        {"layers", 2},
        {"heads", 3},
        {"count", 1},
        {"largest", {0.5}},
        {"grid", {{"width", 2}, {"height", 2}}},
        {"geometry", {{"left", 0}, {"top", 0}, {"cell_width", 160}, {"cell_height", 120}}},
        {"cause",
         {{"model", "detector"},
          {"kind", "detection"},
          {"label", "cat"},
          {"score", 0.9},
          {"unit", "score times overlap"},
          {"does", ""},
          {"trouble", ""},
          {"noise", 0.01},
          {"knock_outs", 4},
          {"heads", {3, 2}},
          {"layers", {"encoder 0", "decoder 0"}},
          {"effects", {{0.25, -0.5, 0}, {0.125}}},
          {"methods", Json::array()}}}};
    return message;
}

class ServedHeads : public ::testing::Test {
protected:
    void open(bool read_only = false) {
        state_ = state_message();
        state_["read_only"] = read_only;
        state_["state"]["heads_off"] = {{"all", Json::array()}, {"words", ""}};
        state_["state"]["start"]["mode"] = "cause";
        page.open(1280, 800);
        page.give(state_);
        show(1);
    }
    void show(int number) {
        page.give(cause_message(number), cv::Mat(240, 320, CV_8UC3, cv::Scalar(90, 90, 90)),
                  {255, 128, 128, 1});
    }
    void tell_off(const Json& all, const char* words) {
        state_["state"]["heads_off"] = {{"all", all}, {"words", words}};
        page.give(state_);
    }
    std::string button(int row, int column) {
        return "document.querySelectorAll('#cause-heads tr')[" + std::to_string(row) +
               "].querySelectorAll('button')[" + std::to_string(column) + "]";
    }
    // The last message about heads.
    Json sent() {
        return page.browser.evaluate(
            "window.sent.filter((m) => m.set?.heads || m.set?.heads_on).at(-1) ?? null");
    }

    StubbedPage page;
    Json state_;
};

TEST_F(ServedHeads, a_click_keeps_a_head_off_a_line_says_which_are_and_one_button_puts_all_back) {
    open();
    ASSERT_TRUE(
        page.browser.becomes("document.querySelectorAll('#cause-heads button').length === 5"));
    EXPECT_EQ(page.browser.evaluate(button(0, 1) + ".title"),
              "encoder 0, head 1: -0.500 score times overlap; a click keeps it off, for everybody");
    EXPECT_EQ(page.browser.evaluate(button(1, 1) + ".title"),
              "decoder 0, head 1: not known yet; a click keeps it off, for everybody");
    EXPECT_NE(page.browser.evaluate(button(0, 0) + ".style.backgroundColor"),
              page.browser.evaluate(button(0, 1) + ".style.backgroundColor"));
    EXPECT_EQ(page.browser.evaluate("document.getElementById('heads-note').hidden"), true);

    page.browser.evaluate(button(1, 0) + ".click()");
    EXPECT_EQ(sent(), Json({{"set", {{"heads", {{"detector", 1, 0, true}}}}}}));
    EXPECT_EQ(page.browser.evaluate(button(1, 0) + ".getAttribute('aria-pressed')"), "true");
    tell_off({{"detector", 1, 0}}, "detector 1.0");
    EXPECT_TRUE(page.browser.becomes("!document.getElementById('heads-note').hidden"));
    EXPECT_EQ(page.browser.evaluate("document.getElementById('heads-off').textContent.startsWith("
                                    "'Heads are off: detector 1.0 ')"),
              true);
    // It stays off in the next picture, and a second click puts it back.
    show(2);
    EXPECT_EQ(page.browser.evaluate(button(1, 0) + ".getAttribute('aria-pressed')"), "true");
    page.browser.evaluate(button(1, 0) + ".click()");
    EXPECT_EQ(sent(), Json({{"set", {{"heads", {{"detector", 1, 0, false}}}}}}));
    page.browser.evaluate("document.getElementById('heads-on').click()");
    EXPECT_EQ(sent(), Json({{"set", {{"heads_on", true}}}}));
    tell_off(Json::array(), "");
    EXPECT_TRUE(page.browser.becomes("document.getElementById('heads-note').hidden"));
    EXPECT_EQ(page.browser.evaluate(button(1, 0) + ".getAttribute('aria-pressed')"), "false");
    EXPECT_EQ(page.browser.errors, std::vector<std::string>());
}

TEST_F(ServedHeads, arrow_keys_go_from_head_to_head) {
    open();
    page.browser.evaluate(button(0, 0) + ".focus()");
    page.browser.press("ArrowRight");
    page.browser.press("ArrowDown");
    EXPECT_EQ(page.browser.evaluate("document.activeElement === " + button(1, 1)), true);
    EXPECT_EQ(
        page.browser.evaluate("document.querySelectorAll('#cause-heads [tabindex=\"0\"]').length"),
        1);
}

TEST_F(ServedHeads, viewers_who_change_nothing_see_the_table_and_what_is_off) {
    open(true);
    tell_off({{"detector", 0, 2}}, "detector 0.2");
    EXPECT_TRUE(page.browser.becomes("!document.getElementById('heads-note').hidden"));
    EXPECT_EQ(page.browser.evaluate("document.getElementById('heads-on').hidden"), true);
    EXPECT_EQ(page.browser.evaluate(button(0, 2) + ".getAttribute('aria-pressed')"), "true");
    page.browser.evaluate(button(0, 0) + ".click()");
    page.browser.press("x");
    EXPECT_EQ(sent(), Json());
}

}  // namespace
}  // namespace saccade
