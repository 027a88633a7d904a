// The models' results on the live page: labels, near-duplicates, captions, files and freezing. The
// page has no server here: see StubbedPage.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/app/serve/page/stubbed_page.h"

namespace saccade {
namespace {

using Json = nlohmann::json;

class PageResults : public ::testing::Test {
protected:
    static void SetUpTestSuite() { page_ = new StubbedPage; }
    static void TearDownTestSuite() { delete page_; }
    void SetUp() override {
        page().open(1280, 800);
        page().give(state_message());
    }
    void TearDown() override { EXPECT_EQ(browser().errors, std::vector<std::string>()); }
    static StubbedPage& page() { return *page_; }
    static Browser& browser() { return page_->browser; }
    static Json value(const std::string& expression) { return browser().evaluate(expression); }
    // Gives a grey picture, 480 x 320.
    static void show(int number, const std::vector<StubDetection>& detections,
                     const std::vector<std::pair<const char*, double>>& words = {},
                     const Json& freshness = 1) {
        Json message = picture_message(number, {480, 320}, detections, words);
        message["found"]["caption_freshness"] = freshness;
        page().give(message, cv::Mat(320, 480, CV_8UC3, cv::Scalar::all(128)));
    }
    // [left, top, width, height] of an element in the viewport.
    static std::vector<double> area(const std::string& element) {
        return value("(() => { const r = " + element +
                     ".getBoundingClientRect(); return [r.x, r.y, r.width, r.height]; })()");
    }
    static Json shown_labels() {
        return value(
            "[...document.querySelectorAll('.box span')]"
            ".filter((one) => one.style.visibility !== 'hidden')"
            ".map((one) => one.textContent.split(' ')[0])");
    }

private:
    static inline StubbedPage* page_ = nullptr;
};

TEST_F(PageResults, near_duplicates_are_one_box_with_the_rival_in_the_tooltip) {
    show(1, {{"dog", 0.24, {52, 22, 298, 298}},
             {"cat", 0.40, {50, 22, 300, 298}},
             {"cat", 0.95, {50, 20, 300, 300}}});
    EXPECT_EQ(value("document.querySelectorAll('.box').length"), 1);
    EXPECT_EQ(shown_labels(), Json({"cat"}));
    EXPECT_EQ(value("document.querySelectorAll('#detections button').length"), 1);
    const auto view = area("document.getElementById('view')");
    browser().move_pointer(view[0] + 0.4 * view[2], view[1] + 0.5 * view[3]);
    ASSERT_TRUE(browser().becomes("!document.getElementById('tip').hidden"));
    EXPECT_EQ(value("document.getElementById('tip').textContent.replaceAll('\\u00a0', ' ')"),
              "cat 95 %, or dog 24 %");
    // Boxes that only overlap are two things.
    show(2, {{"dog", 0.24, {150, 20, 450, 300}}, {"cat", 0.95, {50, 20, 300, 300}}});
    EXPECT_EQ(value("document.querySelectorAll('.box').length"), 2);
}

TEST_F(PageResults, the_strongest_label_is_on_top_and_weak_ones_give_way) {
    // All labels have the same preferred place, and there is room for only a few. Each box is far
    // wider than the one before, so that none is a duplicate.
    std::vector<StubDetection> crowd;
    for (int i = 0; i < 5; ++i)
        crowd.push_back({i == 4 ? "strongest" : "weak",
                         0.1 + 0.1 * i,
                         {100, 100, 100 + 12 * std::pow(2, i), 112}});
    show(1, crowd);
    EXPECT_EQ(value("document.querySelectorAll('.box').length"), 5) << "the boxes stay";
    const Json labels = shown_labels();
    EXPECT_LT(labels.size(), 5u);
    EXPECT_EQ(labels.back(), "strongest") << "it is drawn last";
    EXPECT_EQ(value("(() => { const all = [...document.querySelectorAll('.box span')]"
                    ".filter((one) => one.style.visibility !== 'hidden')"
                    ".map((one) => one.getBoundingClientRect());"
                    "return all.some((a, i) => all.some((b, j) => i < j && a.left < b.right &&"
                    "b.left < a.right && a.top < b.bottom && b.top < a.bottom)); })()"),
              false)
        << "no label covers another";
}

TEST_F(PageResults, labels_do_not_cover_the_caption) {
    show(1, {{"under", 0.9, {200, 296, 280, 320}}, {"beside", 0.5, {10, 296, 60, 320}}},
         {{"a", 0.9}, {"cat", 0.9}});
    EXPECT_EQ(value("document.querySelectorAll('.box').length"), 2);
    EXPECT_EQ(shown_labels(), Json({"beside"}));
}

TEST_F(PageResults, words_show_their_probability_and_act_on_the_picture_like_in_the_list) {
    show(1, {}, {{"a", 0.9}, {"cat", 0.5}, {"wood", 0.04}});
    const std::string words = "document.querySelectorAll('#said .word')";
    EXPECT_EQ(value(words + ".length"), 3);
    EXPECT_EQ(value("[..." + words + "].map((one) => one.classList.contains('unsure'))"),
              Json({false, false, true}));
    auto opacity = [&](int i) {
        return std::stod(
            value("getComputedStyle(" + words + "[" + std::to_string(i) + "].firstChild).opacity")
                .get<std::string>());
    };
    EXPECT_GT(opacity(0), opacity(1) + 0.1);
    EXPECT_GT(opacity(1), opacity(2) + 0.1);
    const auto place = area(words + "[1]");
    browser().move_pointer(place[0] + place[2] / 2, place[1] + place[3] / 2);
    EXPECT_TRUE(browser().becomes("sent.some((one) => one.look?.word === 1)"));
    EXPECT_EQ(
        value("getComputedStyle(" + words + "[1], '::after').content.replace('\\u00a0', ' ')"),
        "\"50 %\"");
}

TEST_F(PageResults, captions_fade_with_age_and_those_of_another_picture_are_not_shown) {
    auto opacity = [&] { return value("Number(document.getElementById('said').style.opacity)"); };
    show(1, {}, {{"a", 0.9}, {"cat", 0.9}}, 1);
    EXPECT_EQ(opacity(), 1);
    show(2, {}, {{"a", 0.9}, {"cat", 0.9}}, 0.25);
    EXPECT_LT(opacity(), 0.7);
    show(3, {}, {{"a", 0.9}, {"cat", 0.9}}, nullptr);
    EXPECT_EQ(value("document.getElementById('said').hidden"), true);
    EXPECT_EQ(value("document.querySelectorAll('#caption .word').length"), 0);
}

TEST_F(PageResults, a_step_asks_for_the_next_frame_and_clears_what_belongs_to_this_one) {
    show(1, {{"cat", 0.9, {50, 20, 300, 300}}}, {{"a", 0.9}, {"cat", 0.9}});
    EXPECT_EQ(value("document.getElementById('about').textContent"), "clip.mp4 · a device");
    for (int i = 0; i < 3; ++i) value("document.getElementById('next').click()");
    EXPECT_EQ(value("sent.filter((one) => one.set).map((one) => one.set.seek)"),
              Json({77, 78, 79}));
    EXPECT_EQ(value("document.querySelectorAll('.box').length"), 0);
    EXPECT_EQ(value("document.getElementById('said').hidden"), true);
    EXPECT_TRUE(browser().becomes("!document.getElementById('busy').hidden"));
    show(4, {{"cat", 0.9, {50, 20, 300, 300}}});
    EXPECT_EQ(value("document.querySelectorAll('.box').length"), 1);
    EXPECT_EQ(value("document.getElementById('busy').hidden"), true);
}

TEST_F(PageResults, a_step_beyond_the_last_frame_only_freezes) {
    Json message = state_message();
    message["state"]["player"]["frames"] = 77;
    page().give(message);
    show(1, {{"cat", 0.9, {50, 20, 300, 300}}});
    value("document.getElementById('next').click()");
    EXPECT_EQ(value("sent.filter((one) => one.set).at(-1)"), Json({{"set", {{"frozen", true}}}}));
    EXPECT_EQ(value("document.querySelectorAll('.box').length"), 1);
}

TEST_F(PageResults, the_page_is_at_work_until_the_frame_that_was_asked_for_arrives) {
    show(1, {{"cat", 0.9, {50, 20, 300, 300}}});
    for (int i = 0; i < 3; ++i) value("document.getElementById('next').click()");
    const std::string busy = "!document.getElementById('busy').hidden";
    EXPECT_TRUE(browser().becomes(busy));
    show(2, {{"cat", 0.9, {50, 20, 300, 300}}});
    EXPECT_EQ(value(busy), true) << "frame 77 is not frame 79";
    show(4, {{"cat", 0.9, {50, 20, 300, 300}}});
    EXPECT_EQ(value(busy), false);
}

TEST_F(PageResults, classes_are_shown_when_they_are_sure_with_what_they_are_out_of) {
    const std::string names =
        "[...document.querySelectorAll('#classes li span')].map((one) => one.textContent)";
    const std::string not_sure = "!document.getElementById('not-sure').hidden";
    show(1, {});
    EXPECT_EQ(value(names), Json({"cat"}));
    EXPECT_EQ(value(not_sure), false);
    EXPECT_EQ(value("document.getElementById('classes-of').textContent"), "out of 20");
    Json message = state_message();
    message["state"]["classifier"]["sure_above"] = 0.8;
    page().give(message);
    show(2, {});
    EXPECT_EQ(value(names), Json::array());
    EXPECT_EQ(value(not_sure), true);
}

TEST_F(PageResults, a_caption_that_is_not_there_yet_is_announced) {
    const std::string announced = "!document.getElementById('caption-next').hidden";
    show(1, {}, {{"a", 0.9}}, nullptr);
    EXPECT_EQ(value(announced), true);
    show(2, {}, {{"a", 0.9}});
    EXPECT_EQ(value(announced), false);
    Json message = state_message();
    message["state"]["captioner"]["takes_words"] = true;
    page().give(message);
    show(3, {}, {{"a", 0.9}}, nullptr);
    EXPECT_EQ(value(announced), false) << "it waits for a question";
}

TEST_F(PageResults, a_patch_asks_the_model_with_the_richest_attention_until_another_is_chosen) {
    auto asked = [&] { return value("looking.wanted().ask"); };
    show(1, {});
    Json message = state_message();
    message["state"]["richest"] = "classifier";
    page().give(message);
    value("looking.hold_at([100, 80])");
    EXPECT_EQ(asked(), "classifier");
    EXPECT_TRUE(browser().becomes(
        "document.getElementById('now').textContent === 'The map is being computed.'"));
    browser().press("m");
    EXPECT_EQ(asked(), "detector");
    page().give(message);
    EXPECT_EQ(asked(), "detector") << "the viewer has chosen it";
}

TEST_F(PageResults, a_still_has_neither_rate_nor_age_nor_a_place_to_seek) {
    show(1, {});
    Json message = state_message();
    message["state"]["player"]["still"] = true;
    page().give(message);
    for (const char* id : {"rates", "seek-part", "next", "previous"})
        EXPECT_EQ(value("document.getElementById('" + std::string(id) + "').hidden"), true) << id;
}

TEST_F(PageResults, a_frozen_picture_has_no_rate) {
    show(1, {});
    Json message = state_message();
    page().give(message);
    EXPECT_EQ(value("document.getElementById('rates').hidden"), false);
    message["state"]["frozen"] = true;
    page().give(message);
    EXPECT_EQ(value("document.getElementById('rates').hidden"), true);
}

TEST_F(PageResults, a_slide_show_has_no_rate_and_names_the_file_of_its_picture) {
    Json message = state_message();
    message["state"]["player"]["rate"] = 0.5;
    page().give(message);
    Json picture = picture_message(1, {480, 320}, {}, {});
    picture["found"]["name"] = "folder/cat.jpg";
    page().give(picture, cv::Mat(320, 480, CV_8UC3, cv::Scalar::all(128)));
    page().give(message);
    EXPECT_EQ(value("document.getElementById('rates').hidden"), true);
    EXPECT_EQ(value("document.getElementById('about').textContent"),
              "cat.jpg · clip.mp4 · a device");
}

TEST_F(PageResults, a_freeze_of_another_viewer_is_shown_with_a_way_out) {
    Json message = state_message();
    message["state"]["frozen"] = true;
    message["frozen_by"] = 2;
    page().give(message);
    EXPECT_EQ(value("document.getElementById('frozen-who').textContent"),
              "The picture is frozen by viewer 2.");
    value("document.getElementById('unfreeze').click()");
    EXPECT_EQ(value("sent.filter((one) => one.set).at(-1)"), Json({{"set", {{"frozen", false}}}}));
    EXPECT_EQ(value("document.getElementById('frozen-note').hidden"), true);
}

TEST_F(PageResults, the_error_of_a_model_goes_when_another_is_chosen) {
    Json message = state_message();
    message["state"]["detector"]["error"] = "no such file";
    page().give(message);
    const std::string hidden = "document.getElementById('detector-loading').hidden";
    EXPECT_EQ(value(hidden), false);
    value(
        "(() => { const e = document.getElementById('detector'); e.value = 'none';"
        "e.dispatchEvent(new Event('input')); })()");
    page().give(message);
    EXPECT_EQ(value(hidden), true);
    message["state"]["detector"]["error"] = "another error";
    page().give(message);
    EXPECT_EQ(value(hidden), false);
}

TEST_F(PageResults, the_greatest_of_heads_is_no_share_of_the_attention) {
    value("looking.hold_at([100, 80])");
    value(
        "(() => { const e = document.getElementById('mode'); e.value = 'max';"
        "e.dispatchEvent(new Event('input')); })()");
    Json message = picture_message(1, {480, 320}, {}, {});
    message["map"] = {
        {"who", "patch"},
        {"layer", 7},
        {"layers", 8},
        {"heads", 4},
        {"count", 1},
        {"largest", {0.5}},
        {"grid", {{"width", 2}, {"height", 1}}},
        {"geometry", {{"left", 0}, {"top", 0}, {"cell_width", 240}, {"cell_height", 320}}},
        {"patch", {{"row", 0}, {"column", 0}}}};
    page().give(message, cv::Mat(320, 480, CV_8UC3, cv::Scalar::all(128)), {255, 64});
    EXPECT_EQ(
        value("document.getElementById('now').textContent.replaceAll('\\u00a0', ' ')"),
        "Detector’s patch in row 1, column 1: layer 7 of 0-7, greatest of 4 heads. The largest "
        "weight of any head is 50 %, at row 1, column 1.");
    EXPECT_EQ(value("document.getElementById('largest').textContent.replace('\\u00a0', ' ')"),
              "50 %");
}

// Picture, words and the first results are in view without scrolling.
TEST_F(PageResults, picture_and_words_are_in_view) {
    struct Size {
        int width, height;
        bool phone;
        cv::Size picture;
    };
    for (const Size& size : {Size{1280, 800, false, {480, 320}}, Size{1280, 800, false, {360, 480}},
                             Size{1920, 1080, false, {640, 360}}, Size{390, 844, true, {480, 320}},
                             Size{390, 844, true, {360, 480}}}) {
        page().open(size.width, size.height, size.phone);
        page().give(state_message());
        page().give(
            picture_message(1, size.picture, {{"cat", 0.9, {50, 20, 300, 300}}},
                            {{"a", 0.9}, {"cat", 0.9}, {"on", 0.9}, {"a", 0.9}, {"bed", 0.5}}),
            cv::Mat(size.picture, CV_8UC3, cv::Scalar::all(128)));
        const auto view = area("document.getElementById('view')");
        const auto words = area("document.getElementById('caption')");
        const std::string where = std::to_string(size.width) + " with a picture of " +
                                  std::to_string(size.picture.width) + "x" +
                                  std::to_string(size.picture.height);
        EXPECT_GE(view[1], 0) << where;
        if (!size.phone || size.picture.width > size.picture.height) {
            EXPECT_LE(words[1] + words[3], size.height) << where;
        }
        EXPECT_GT(view[2] * view[3], 0.22 * size.width * size.height) << where;
        EXPECT_LE(value("document.documentElement.scrollWidth"), size.width) << where;
    }
}

}  // namespace
}  // namespace saccade
