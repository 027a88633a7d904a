// `saccade live --serve` and `saccade batch --serve` in a browser.

#include <gtest/gtest.h>

#include <thread>

#include "tests/app/serve/page/served_page.h"
#include "tests/app/serve/web/client.h"

namespace saccade {
namespace {

using namespace std::chrono_literals;

// One program and one browser for all tests; each test loads the page again.
class ServedPage : public ::testing::Test {
protected:
    static void SetUpTestSuite() {
        program_ =
            new Program(places::program(), served({"--serve", "0", "--offer", "synth:160x120@5",
                                                   "--classifier", "emoji-classifier"}));
        address_ = new std::string(address_of(*program_));
        browser_ = new Browser;
        browser_->set_size(1280, 900);
    }
    static void TearDownTestSuite() {
        delete browser_;
        delete address_;
        delete program_;
    }
    void SetUp() override {
        ASSERT_TRUE(address_->starts_with("http://127.0.0.1:")) << program_->wait().err;
        browser_->visit(*address_);
        ASSERT_TRUE(browser_->becomes("saccade.number() > 0 && saccade.state() !== null", 120));
        // A picture that another test has left frozen goes on.
        ASSERT_TRUE(
            browser_->becomes("(() => { const frozen = saccade.state().frozen;"
                              "if (frozen) document.getElementById('freeze').click();"
                              "return !frozen; })()"));
    }
    void TearDown() override {
        EXPECT_EQ(browser_->errors, std::vector<std::string>());
        for (const std::string& request : browser_->requests)
            EXPECT_TRUE(request.starts_with(*address_) || request.starts_with("ws://127.0.0.1:") ||
                        request.starts_with("blob:http://127.0.0.1:"))
                << request;
    }
    static Browser& page() { return *browser_; }
    static std::string value_of(const std::string& expression) {
        const Browser::Json value = page().evaluate(expression);
        return value.is_string() ? value.get<std::string>() : value.dump();
    }
    // A point of the picture, as fractions of its sides, in the viewport.
    static std::pair<double, double> point(double x, double y) {
        return point_of_picture(page(), x, y);
    }
    static void choose(const std::string& id, const std::string& value) {
        page().evaluate("(() => { const e = document.getElementById('" + id + "'); e.value = '" +
                        value + "'; e.dispatchEvent(new Event('input')); })()");
    }

    static inline Program* program_ = nullptr;
    static inline std::string* address_ = nullptr;
    static inline Browser* browser_ = nullptr;
};

TEST_F(ServedPage, shows_pictures_with_what_was_found_and_how_old_they_are) {
    const int first = page().evaluate("saccade.number()");
    ASSERT_TRUE(page().becomes("saccade.number() > " + std::to_string(first)));
    ASSERT_TRUE(page().becomes("saccade.line().detections.length > 0"));
    EXPECT_EQ(page().evaluate("document.getElementById('picture').width"), 320);
    EXPECT_EQ(
        page().evaluate("(() => { const c = document.getElementById('picture');"
                        "const p = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
                        "return new Set(p).size > 20; })()"),
        true)
        << "a picture, not a plain colour";
    EXPECT_TRUE(
        page().becomes("document.querySelectorAll('.box').length > 0 &&"
                       "document.querySelectorAll('#detections button').length > 0"));
    EXPECT_TRUE(page().becomes("document.querySelectorAll('#classes li').length > 0"));
    EXPECT_TRUE(
        page().becomes("saccade.line().caption.text.length > 3 &&"
                       "document.querySelectorAll('#caption button').length > 1"));
    EXPECT_TRUE(page().becomes("saccade.age() > 0 && saccade.age() < 60000"));
    EXPECT_TRUE(
        page().becomes("document.getElementById('rates').textContent.includes('frames/s')"));
    EXPECT_TRUE(
        page().becomes("document.getElementById('times').textContent.includes('detector')"));
}

TEST_F(ServedPage, the_patch_under_the_pointer_shows_what_it_looks_at) {
    EXPECT_EQ(value_of("document.getElementById('mode').value"), "mean");
    EXPECT_TRUE(page().evaluate("saccade.map()").is_null()) << "nothing is pointed at";
    // It has eight layers and 192 patches, the classifier six and 80.
    EXPECT_TRUE(page().becomes("saccade.state().richest === 'detector'"));
    page().press("o");
    ASSERT_TRUE(page().becomes("saccade.map()?.who === 'query'")) << "the strongest detection";
    page().press("m");
    ASSERT_TRUE(page().becomes("saccade.map()?.who === 'class token'"));
    page().press("m");
    page().press("o");
    ASSERT_TRUE(page().becomes("saccade.map() === null"));
    auto [x, y] = point(0.1, 0.2);
    page().move_pointer(x, y);
    ASSERT_TRUE(page().becomes("saccade.map()?.patch?.column <= 2"));
    const std::string first = value_of("saccade.map().cells.join()");
    std::tie(x, y) = point(0.9, 0.8);
    page().move_pointer(x, y);
    ASSERT_TRUE(page().becomes("saccade.map()?.patch?.column >= 5"));
    EXPECT_NE(value_of("saccade.map().cells.join()"), first);
    EXPECT_EQ(
        page().evaluate("(() => { const c = document.getElementById('heat');"
                        "const p = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
                        "return p.some((v) => v > 0); })()"),
        true);
    EXPECT_NE(value_of("document.getElementById('now').textContent").find("patch in row"),
              std::string::npos);
    page().press("[");
    ASSERT_TRUE(page().becomes("saccade.map()?.layer === saccade.map()?.layers - 2"));
    page().press("1");
    ASSERT_TRUE(
        page().becomes("document.getElementById('mode').value === 'head' &&"
                       "document.getElementById('head-now').textContent === '1'"));
    choose("mode", "grid");
    ASSERT_TRUE(page().becomes("saccade.map()?.count === saccade.map()?.heads"));
    page().press("a");
    ASSERT_TRUE(page().becomes("saccade.map()?.kind === 'similarity'"));
    EXPECT_NE(value_of("document.getElementById('now').textContent").find("cosine similarity"),
              std::string::npos);
    EXPECT_EQ(page().evaluate("saccade.map().patch.column >= 5 && saccade.map().count === 1"),
              true);
    page().press("a");
    ASSERT_TRUE(page().becomes("saccade.map()?.kind === 'colours' && saccade.map()?.count === 3"));
    EXPECT_EQ(
        page().evaluate("(() => { const c = document.getElementById('heat');"
                        "const p = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
                        "return new Set(p).size > 20; })()"),
        true)
        << "many colours, as one map";
    page().press("a");
    EXPECT_EQ(value_of("document.getElementById('mode').value"), "cause");
    page().press("a");
    EXPECT_EQ(value_of("document.getElementById('mode').value"), "off");
    ASSERT_TRUE(page().becomes("saccade.map() === null"));
}

TEST_F(ServedPage, a_detection_that_is_clicked_and_a_word_that_is_pointed_at_are_looked_into) {
    ASSERT_TRUE(
        page().becomes("saccade.line().detections.length > 0 &&"
                       "saccade.line().caption.words.length > 1"));
    for (int i = 0; i < 10; ++i) {
        page().evaluate("document.getElementById('freeze').click()");
        ASSERT_TRUE(page().becomes("saccade.state().frozen"));
        std::this_thread::sleep_for(1s);
        if (page().evaluate("saccade.line().detections.length > 0") == true) break;
        page().evaluate("document.getElementById('freeze').click()");  // a scene without objects
        std::this_thread::sleep_for(500ms);
    }
    ASSERT_EQ(page().evaluate("saccade.line().detections.length > 0"), true);
    const Browser::Json box = page().evaluate("saccade.line().detections[0].box");
    const auto [x, y] = point((box[0].get<double>() + box[2].get<double>()) / 2 / 320,
                              (box[1].get<double>() + box[3].get<double>()) / 2 / 240);
    page().press("c");  // the caption may cover the detection
    page().click(x, y);
    page().press("c");
    ASSERT_TRUE(page().becomes("saccade.map()?.who === 'query'"));
    ASSERT_TRUE(page().becomes("document.querySelectorAll('.box.chosen').length === 1"));
    page().press("Escape");
    ASSERT_TRUE(page().becomes("saccade.map()?.who !== 'query'"));

    const Browser::Json word = page().evaluate(
        "(() => { const b = document.querySelector('#caption button');"
        "b.scrollIntoView({block: 'center'});"
        "const r = b.getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]; "
        "})()");
    page().move_pointer(word[0], word[1]);
    ASSERT_TRUE(page().becomes("saccade.map()?.who === 'word'"));
    page().evaluate("document.getElementById('freeze').click()");
    ASSERT_TRUE(page().becomes("!saccade.state().frozen"));
}

TEST_F(ServedPage, a_frozen_picture_stands_still_and_a_screenshot_can_be_had) {
    page().press(" ");
    ASSERT_TRUE(page().becomes("saccade.state().frozen"));
    EXPECT_TRUE(page().settles("saccade.line().frame"));
    const std::string frame = value_of("saccade.line().frame");
    EXPECT_EQ(value_of("document.getElementById('freeze').textContent"), "Go on");
    page().evaluate(
        "window.saved = ''; HTMLAnchorElement.prototype.click = function () {"
        "window.saved = this.download + ' ' + this.href.slice(0, 5); }");
    page().press("s");
    EXPECT_TRUE(page().becomes("saved === 'saccade-" + frame + ".png blob:'"));
    page().press(" ");
    ASSERT_TRUE(page().becomes("saccade.line().frame > " + frame));
}

TEST_F(ServedPage, the_shared_state_can_be_changed_to_what_was_offered) {
    EXPECT_EQ(value_of("saccade.state().sources.join()"),
              "synth:320x240@10?seed=1&objects=2,synth:160x120@5");
    EXPECT_NE(value_of("saccade.state().detector.known.join()").find("photo-detector"),
              std::string::npos);
    choose("threshold", "1");
    ASSERT_TRUE(page().becomes("saccade.line().detections.length === 0"));
    choose("threshold", "0.5");
    ASSERT_TRUE(page().becomes("saccade.line().detections.length > 0"));
    const std::string label = value_of("saccade.line().detections[0].label");
    page().evaluate(
        "[...document.querySelectorAll('#only label')].find((one) =>"
        "one.textContent === '" +
        label + "').firstChild.click()");
    EXPECT_TRUE(
        page().becomes("![...document.querySelectorAll('.box')].some((one) =>"
                       "one.textContent.startsWith('" +
                       label + "'))"));
    page().press("u");
    EXPECT_TRUE(page().becomes("document.querySelectorAll('.box.true').length > 0"));
    choose("stride", "2");
    ASSERT_TRUE(page().becomes("saccade.state().strides.detector === 2"));
    choose("stride", "1");
    choose("classifier", "none");
    ASSERT_TRUE(page().becomes("!saccade.line().classes"));
    choose("classifier", "emoji-classifier");
    ASSERT_TRUE(page().becomes("Boolean(saccade.line().classes)"));

    // A client other than the page cannot choose a path either.
    TestViewer viewer(port_of(*address_));
    viewer.say(R"({"set": {"detector": "/etc", "source": "/etc/passwd", "threshold": 0.4}})");
    ASSERT_TRUE(page().becomes("Math.abs(saccade.state().threshold - 0.4) < 1e-6"));
    EXPECT_EQ(value_of("saccade.state().detector.name"), "emoji-detector");
    EXPECT_EQ(value_of("saccade.state().detector.error"), "");
    EXPECT_EQ(value_of("saccade.state().source"), "synth:320x240@10?seed=1&objects=2");
}

TEST_F(ServedPage, two_viewers_see_different_maps_and_each_other) {
    TestViewer other(port_of(*address_));
    ASSERT_EQ(other.status, 101);
    other.say(R"({"look": {"mode": "mean", "point": [10, 10]}})");
    ASSERT_TRUE(page().becomes("saccade.viewers().length === 2"));
    EXPECT_TRUE(page().becomes(
        "document.getElementById('people').textContent.includes('explores attention')"));
    choose("mode", "mean");
    const auto [x, y] = point(0.95, 0.95);
    page().move_pointer(x, y);
    ASSERT_TRUE(page().becomes("saccade.map()?.patch?.column >= 5"));
    bool seen = false;
    for (int i = 0; i < 20 && !seen; ++i) {
        const nlohmann::json picture = other.picture();
        ASSERT_FALSE(picture.is_null());
        other.take(picture["number"]);
        if (picture["map"].is_null()) continue;
        EXPECT_EQ(picture["map"]["patch"]["column"], 0);
        seen = true;
    }
    EXPECT_TRUE(seen);
}

TEST_F(ServedPage, fits_a_phone_and_is_accessible_to_screen_readers) {
    page().set_size(390, 844, true);
    ASSERT_TRUE(page().becomes("document.documentElement.scrollWidth <= 390"));
    EXPECT_EQ(
        page().evaluate("document.getElementById('picture').getBoundingClientRect().width > 300"),
        true);
    page().call("Input.dispatchTouchEvent",
                {{"type", "touchStart"}, {"touchPoints", {{{"x", 60}, {"y", 260}}}}});
    page().call("Input.dispatchTouchEvent",
                {{"type", "touchEnd"}, {"touchPoints", Browser::Json::array()}});
    EXPECT_TRUE(page().becomes("saccade.map() !== null")) << "a tap points";
    page().set_size(1280, 900);
    const std::string light = value_of("getComputedStyle(document.body).backgroundColor");
    page().call("Emulation.setEmulatedMedia",
                {{"features", {{{"name", "prefers-color-scheme"}, {"value", "dark"}}}}});
    EXPECT_NE(value_of("getComputedStyle(document.body).backgroundColor"), light);
    page().call("Emulation.setEmulatedMedia", {{"features", Browser::Json::array()}});
    std::set<std::string> names;
    for (const Browser::Json& node : page().accessibility())
        if (!node.value("ignored", false))
            names.insert(node.value("/role/value"_json_pointer, "") + ": " +
                         node.value("/name/value"_json_pointer, ""));
    for (const char* name : {"application: Live picture with maps of attention", "button: Freeze",
                             "button: Screenshot", "combobox: Maps", "combobox: Detector",
                             "slider: Least score", "slider: Layer", "checkbox: Boxes"})
        EXPECT_TRUE(names.contains(name)) << name;
}

TEST(ServeProgram, comes_back_to_a_server_that_was_started_again_and_may_be_read_only) {
    Browser browser;
    std::string address;
    uint16_t port = 0;
    {
        Program program(places::program(),
                        served({"--serve", "0", "--captioner", "none", "--classifier", "none"}));
        address = address_of(program);
        port = port_of(address);
        browser.visit(address);
        ASSERT_TRUE(browser.becomes("saccade.number() > 0", 120));
        program.send(SIGTERM);
        const Outcome outcome = program.wait();
        EXPECT_EQ(outcome.code, 0) << outcome.err;
    }
    ASSERT_TRUE(browser.becomes("!saccade.connected()"));
    EXPECT_TRUE(
        browser.becomes("document.getElementById('trouble').textContent.includes('trying again')"));
    Program again(places::program(), served({"--serve", std::to_string(port), "--captioner", "none",
                                             "--classifier", "none", "--read-only"}));
    ASSERT_TRUE(browser.becomes("saccade.connected() && saccade.state()?.frames > 0", 120));
    EXPECT_TRUE(browser.becomes("document.getElementById('detector').disabled"));
    ASSERT_TRUE(browser.becomes("saccade.line().detections.length > 0"));
    // The viewer's own picture stands still, the shared state does not.
    browser.press(" ");
    EXPECT_TRUE(browser.settles("saccade.number()"));
    const int number = browser.evaluate("saccade.number()");
    EXPECT_EQ(browser.evaluate("saccade.state().frozen"), false);
    browser.press(" ");
    EXPECT_TRUE(browser.becomes("saccade.number() > " + std::to_string(number)));
}

TEST(ServeProgram, a_token_moves_into_a_cookie_and_after_a_restart_another_one_is_asked_for) {
    const Words few{"--captioner", "none", "--classifier", "none", "--serve"};
    auto with = [&](const std::string& address) {
        Words words = few;
        words.push_back(address);
        return served(words);
    };
    Browser browser;
    std::string port;
    {
        Program program(places::program(), with("0.0.0.0:0"));
        const std::string address = address_of(program);
        port = std::to_string(port_of(address));
        browser.visit("http://127.0.0.1:" + port + "/");
        EXPECT_NE(browser.evaluate("document.body.textContent").get<std::string>().find("token"),
                  std::string::npos);
        browser.visit("http://127.0.0.1:" + port + address.substr(address.find("/?token=")));
        ASSERT_TRUE(browser.becomes("saccade.number() > 0", 120));
        EXPECT_EQ(browser.evaluate("location.pathname + location.search + document.cookie"), "/");
    }
    ASSERT_TRUE(browser.becomes("!saccade.connected()"));
    Program again(places::program(), with("0.0.0.0:" + port));
    ASSERT_NE(address_of(again), "");
    EXPECT_TRUE(browser.becomes(
        "document.getElementById('trouble').textContent.includes('another token')"));
}

// The zone covers the whole picture.
constexpr const char* everywhere = R"({"zones": [{"name": "all", "point": "middle",
    "corners": [[0, 0], [320, 0], [320, 240], [0, 240]]}]})";

TEST(ServeProgram, a_batch_shows_how_far_it_is_its_newest_frame_and_what_was_found) {
    const TempFolder temp;
    Program program(places::program(),
                    on_test_device({"batch", "synth:320x240@30?seed=1&objects=2&frames=400",
                                    "--captioner", "none", "--classifier", "none", "--no-video",
                                    "--zones", temp.write("zones.json", everywhere).string(), "-o",
                                    (temp / "out").string(), "--serve", "0"}));
    const std::string address = address_of(program);
    Client listener(port_of(address));
    listener.send(request("/events"));
    Browser browser;
    browser.visit(address);
    ASSERT_TRUE(browser.becomes("saccade.number() > 0", 120)) << program.out();
    EXPECT_TRUE(
        browser.becomes("saccade.state().progress.left > 0 && saccade.state().found.length > 0"));
    EXPECT_TRUE(
        browser.becomes("document.getElementById('progress').value > 0 &&"
                        "document.querySelectorAll('#tallies li').length > 0"));
    EXPECT_EQ(browser.evaluate("document.getElementById('shared-part').hidden"), true);
    EXPECT_EQ(browser.evaluate("document.querySelectorAll('.box').length"), 0)
        << "boxes are drawn into the picture";
    EXPECT_EQ(browser.errors, std::vector<std::string>());
    EXPECT_TRUE(get(port_of(address), "/frame.jpg").body.starts_with("\xff\xd8\xff"));
    expect_says(listener.until("event: crossing\n") + listener.until("\n\n"), "\"all\"");
    program.send(SIGTERM);
    const Outcome outcome = program.wait();
    EXPECT_TRUE(outcome.code == 0 || outcome.code == 75) << outcome.signal << outcome.err;
    EXPECT_GT(std::filesystem::file_size(temp / "out/FRAMES.jsonl"), 0u);
}

TEST(ServeProgram, refuses_addresses_that_are_none_and_prints_a_token_for_others_than_loopback) {
    expect_refused(saccade_program(served({"--serve", "here:there"})), 2, "[HOST:]PORT");
    expect_refused(saccade_program(served({"--read-only"})), 2, "--serve");
    Program program(places::program(), served({"--serve", "0.0.0.0:0", "--captioner", "none",
                                               "--classifier", "none", "--frames", "1"}));
    const std::string address = address_of(program);
    EXPECT_NE(address.find("/?token="), address.npos) << address;
    const Outcome outcome = program.wait();
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const std::string token = address.substr(address.find("token=") + 6);
    EXPECT_EQ(outcome.out.find(token), outcome.out.rfind(token)) << "once";
    EXPECT_EQ(outcome.err.find(token), outcome.err.npos);
}

}  // namespace
}  // namespace saccade
