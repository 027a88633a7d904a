// The live page at several sizes, compared with pictures of it that are stored beside this file, a
// quarter of its size and grey. SACCADE_RENEW_PICTURES=1 stores them anew: look at them before you
// keep them.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/app/serve/page/stubbed_page.h"
#include "tests/places.h"

namespace saccade {
namespace {

struct Case {
    const char* name;
    int width, height;
    bool phone, portrait;
};

// A gradient with a lighter rectangle, which compresses to few bytes.
cv::Mat painting(cv::Size size) {
    cv::Mat picture(size, CV_8UC3);
    for (int y = 0; y < size.height; ++y)
        for (int x = 0; x < size.width; ++x)
            picture.at<cv::Vec3b>(y, x) = cv::Vec3b(uint8_t(x / 4), uint8_t(y / 4), 60);
    cv::rectangle(picture, {size.width / 4, size.height / 4, size.width / 2, size.height / 2},
                  {200, 200, 200}, cv::FILLED);
    return picture;
}

// The page with overlapping boxes, an improbable word and the attention map of a patch.
cv::Mat shown(StubbedPage& page, const Case& one) {
    page.open(one.width, one.height, one.phone);
    page.give(state_message());
    const cv::Size size = one.portrait ? cv::Size(360, 480) : cv::Size(480, 320);
    const double w = size.width, h = size.height;
    nlohmann::json message =
        picture_message(1, size,
                        {{"cat", 0.95, {0.1 * w, 0.2 * h, 0.8 * w, 0.9 * h}},
                         {"dog", 0.24, {0.11 * w, 0.2 * h, 0.8 * w, 0.9 * h}},
                         {"cup", 0.58, {0.6 * w, 0.1 * h, 0.9 * w, 0.5 * h}},
                         {"book", 0.3, {0.62 * w, 0.14 * h, 0.85 * w, 0.4 * h}}},
                        {{"a", 0.9}, {"cat", 0.95}, {"on", 0.8}, {"wood", 0.04}});
    constexpr int columns = 12, rows = 8;
    message["map"] = {
        {"who", "patch"},
        {"layer", 5},
        {"layers", 6},
        {"heads", 4},
        {"count", 1},
        {"largest", {0.14}},
        {"grid", {{"width", columns}, {"height", rows}}},
        {"geometry",
         {{"left", 0}, {"top", 0}, {"cell_width", w / columns}, {"cell_height", h / rows}}},
        {"patch", {{"row", 2}, {"column", 3}}}};
    std::vector<uint8_t> levels;
    for (int y = 0; y < rows; ++y)
        for (int x = 0; x < columns; ++x)
            levels.push_back(
                uint8_t(255 * std::exp(-((x - 7) * (x - 7) + (y - 3) * (y - 3)) / 8.0)));
    page.browser.evaluate("looking.hold_at([100, 80])");
    page.give(message, painting(size), levels);
    // Rates depend on the machine, and appear some time after the picture.
    page.browser.evaluate("document.getElementById('rates').style.display = 'none'");
    cv::Mat grey, small;
    cv::cvtColor(page.screenshot(), grey, cv::COLOR_BGR2GRAY);
    cv::resize(grey, small, grey.size() / 4, 0, 0, cv::INTER_AREA);
    return small;
}

// The share of cells of 16 x 16 pixels whose mean differs. Another Chromium smooths and spaces
// letters otherwise; a part that moves or is missing makes several times as many.
constexpr double most_difference = 0.03;
double difference(const cv::Mat& then, const cv::Mat& now) {
    cv::Mat before, after, apart;
    cv::resize(then, before, then.size() / 4, 0, 0, cv::INTER_AREA);
    cv::resize(now, after, now.size() / 4, 0, 0, cv::INTER_AREA);
    cv::absdiff(before, after, apart);
    return cv::countNonZero(apart > 24) / double(after.total());
}

class StoredPages : public ::testing::TestWithParam<Case> {};

TEST_P(StoredPages, the_page_looks_as_it_did) {
    const Case& one = GetParam();
    StubbedPage page;
    const cv::Mat now = shown(page, one);
    EXPECT_EQ(page.browser.errors, std::vector<std::string>());
    const std::string file =
        std::string(places::tests()) + "/app/serve/page/stored/" + one.name + ".png";
    if (std::getenv("SACCADE_RENEW_PICTURES")) {
        ASSERT_TRUE(cv::imwrite(file, now, {cv::IMWRITE_PNG_COMPRESSION, 9})) << file;
        return;
    }
    const cv::Mat then = cv::imread(file, cv::IMREAD_GRAYSCALE);
    ASSERT_EQ(then.size(), now.size()) << file;
    EXPECT_LT(difference(then, now), most_difference)
        << "if it is meant to look like this, store it anew: tests/README.md says how";
    if (::testing::Test::HasFailure()) {
        cv::imwrite("now-" + std::string(one.name) + ".png", now);
        std::printf("see now-%s.png\n", one.name);
    }
}

INSTANTIATE_TEST_SUITE_P(Sizes, StoredPages,
                         ::testing::Values(Case{"700x420", 700, 420, false, false},
                                           Case{"1280x800", 1280, 800, false, false},
                                           Case{"1280x800-portrait", 1280, 800, false, true},
                                           Case{"1920x1080", 1920, 1080, false, false},
                                           Case{"390x844-phone", 390, 844, true, false}),
                         [](const auto& one) {
                             std::string name = one.param.name;
                             for (char& c : name)
                                 if (c == '-') c = '_';
                             return "of_" + name;
                         });

}  // namespace
}  // namespace saccade
