// Lectures of `saccade live --serve`: the button, and the page.

#include <gtest/gtest.h>

#include "tests/app/serve/page/served_page.h"
#include "tests/app/serve/page/stubbed_page.h"
#include "tests/app/serve/web/client.h"

namespace saccade {
namespace {

using Json = nlohmann::json;

TEST(ServedLecture, is_made_of_the_frame_on_the_screen_and_opens) {
    const TempFolder temp;
    Program program(places::program(),
                    served({"--detector", "none", "--captioner", "none", "--classifier",
                            model_folder(temp, "vit-nano"), "--serve", "0"}));
    const std::string address = address_of(program);
    EXPECT_EQ(get(port_of(address), "/lecture/page").status, 404);
    Browser page;
    page.visit(address);
    ASSERT_TRUE(page.becomes("saccade.number() > 0 && !!saccade.state()?.lecture", 120));
    page.evaluate(
        "window.opened = []; window.open = (url) => window.opened.push(String(url));"
        "document.getElementById('lecture').click()");
    ASSERT_TRUE(page.becomes("document.getElementById('lecture-now').textContent.includes('…')"));
    EXPECT_EQ(page.evaluate("document.getElementById('lecture').disabled"), true);
    ASSERT_TRUE(page.becomes("window.opened.length === 1", 120));
    EXPECT_EQ(page.evaluate("window.opened[0]"), address + "lecture/page");
    EXPECT_EQ(page.evaluate("document.getElementById('lecture-link').href"),
              address + "lecture/page");
    EXPECT_EQ(page.evaluate("document.getElementById('lecture-now').textContent"), "");
    EXPECT_EQ(page.evaluate("saccade.state().frozen"), false) << "the picture goes on";
    const int number = page.evaluate("saccade.number()");
    EXPECT_TRUE(page.becomes("saccade.number() > " + std::to_string(number)));

    page.visit(address + "lecture/page");
    ASSERT_TRUE(page.becomes("'ready' in document.body.dataset"));
    EXPECT_EQ(page.evaluate("[lesson.width, lesson.height]"), Json({320, 240}));
    EXPECT_EQ(page.evaluate("document.querySelectorAll('#sections > section').length"), 7);
    EXPECT_EQ(page.errors, std::vector<std::string>());
}

// The page without a server.
TEST(ServedLecture, button_says_what_it_waits_for_and_what_went_wrong) {
    StubbedPage page;
    page.open(1280, 800);
    Json message = state_message();
    Json& lecture = message["state"]["lecture"];
    const auto shown = [&](const std::string& id) {
        return page.browser.evaluate("(() => { const e = document.getElementById('" + id +
                                     "'); return e.offsetParent !== null && !e.disabled; })()");
    };
    const auto line = [&] {
        return page.browser.evaluate("document.getElementById('lecture-now').textContent");
    };
    lecture = nullptr;
    page.give(message);
    EXPECT_EQ(shown("lecture"), false) << "this program makes none";
    lecture = {{"number", 0}, {"making", ""}, {"asked_by", 0}, {"error", ""}};
    page.give(message);
    EXPECT_EQ(shown("lecture"), true);
    EXPECT_EQ(shown("lecture-note"), false);
    page.browser.press("t");
    EXPECT_EQ(page.browser.evaluate("sent.filter((m) => m.set?.lecture).length"), 1);
    EXPECT_EQ(line(), "Lecture: waiting for its turn …");
    page.browser.press("t");
    EXPECT_EQ(page.browser.evaluate("sent.filter((m) => m.set?.lecture).length"), 1);
    lecture["making"] = "the lecture is being made";
    page.give(message);
    EXPECT_EQ(line(), "Lecture: the lecture is being made …");
    EXPECT_EQ(shown("lecture"), false) << "one at a time";
    lecture["making"] = "";
    lecture["asked_by"] = 1;
    lecture["error"] = "no room";
    page.give(message);
    EXPECT_EQ(line(), "There is no lecture: no room");
    EXPECT_EQ(shown("lecture"), true);
    EXPECT_EQ(shown("lecture-link"), false);
    // Another viewer's lecture opens nothing here.
    page.browser.evaluate("window.opened = 0; window.open = () => ++window.opened");
    lecture = {{"number", 1}, {"making", ""}, {"asked_by", 2}, {"error", ""}};
    page.give(message);
    EXPECT_EQ(shown("lecture-link"), true);
    EXPECT_EQ(page.browser.evaluate("window.opened"), 0);
    message["read_only"] = true;
    page.give(message);
    EXPECT_EQ(shown("lecture"), false);
    page.browser.press("t");
    EXPECT_EQ(page.browser.evaluate("sent.filter((m) => m.set?.lecture).length"), 1);
}

}  // namespace
}  // namespace saccade
