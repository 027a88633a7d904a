// The whole window at rest, compared with pictures of it that are stored beside this file, a
// quarter of its size and grey. SACCADE_RENEW_PICTURES=1 stores them anew: look at them before you
// keep them.

#include <gtest/gtest.h>
#include <imgui.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <thread>

#include "app/live/view/view.h"
#include "app/live/window/screen.h"
#include "tests/app/live/window/display.h"
#include "tests/models/files/temp_folder.h"
#include "tests/places.h"

namespace saccade {
namespace {

constexpr const char* title = "stored pictures";

struct Case {
    const char* name;
    uint32_t width, height;  // in pixels
    int dpi;                 // 96: one pixel to a unit
    bool second, player;
};

cv::Mat painting() {
    cv::Mat picture(240, 320, CV_8UC3);
    for (int y = 0; y < picture.rows; ++y)
        for (int x = 0; x < picture.cols; ++x)
            picture.at<cv::Vec3b>(y, x) = cv::Vec3b(uint8_t(x / 2), uint8_t(y / 2), 60);
    cv::rectangle(picture, {40, 40, 80, 60}, {200, 200, 200}, cv::FILLED);
    return picture;
}

Status status_for(const Case& one) {
    Status status;
    status.device = "a device";
    status.source = "synth:";
    status.detector.name = "a-detector";
    status.classifier.name = "a-classifier";
    status.captioner.name = "a-captioner";
    status.labels = {"cat", "dog"};
    status.choices = status.second_choices = {6, 4};
    status.player.live = !one.player;
    status.player.frames = 300;
    status.player.rate = 25;
    status.player.frame = 75;
    status.player.time = 3;
    return status;
}

// A detector and a classifier have the same patch as their target.
LiveView what_is_seen(const Case& one) {
    LiveView view;
    view.classified = true;
    view.classes = {{"cat", 0.71f}, {"dog", 0.26f}};
    view.of_classes = 80;
    view.scene.picture = {320, 240};
    view.attention.emplace();
    view.attention->looker = {
        .token = Looker::Token::patch, .of_detector = true, .point = {168, 104}};
    view.attention->layer = 5;
    view.attention->layers = 6;
    view.attention->heads = 4;
    view.attention->geometry = {.grid = {20, 15}, .corner = {}, .cell = glm::vec2(16)};
    view.attention->largest = 0.14f;
    view.attention->on_picture = 0.83f;
    if (one.second) {
        view.scene.second.emplace();
        view.second_attention = view.attention;
        view.second_attention->looker.of_detector = false;
        view.second_attention->layer = 2;
    }
    return view;
}

// Waits until the display no longer changes; returns it at a quarter of its size.
cv::Mat shown(const Case& one) {
    const TestDisplay display(one.width, one.height);
    display.set_dpi(one.dpi);
    ::setenv("DISPLAY", display.name().c_str(), 1);
    ::unsetenv("WAYLAND_DISPLAY");
    const uint32_t scale = static_cast<uint32_t>(one.dpi / 96);
    Window window({title, one.width / scale, one.height / scale});
    display.move_window(title, 0, 0);
    Instance::Options about;
    about.extensions = window.instance_extensions();
    const Instance instance(about);
    const char* wanted = std::getenv("SACCADE_DEVICE");
    Device::Options options;
    options.extensions = {Swapchain::extension};
    Device device(instance, instance.choose(wanted ? wanted : ""), std::move(options));
    Screen screen(device, window, PresentMode::fifo, "");

    const TempFolder no_cameras;
    SourceOffers offers({}, std::string(no_cameras / ""));
    BackgroundPull pull;
    Session session;
    session.status = status_for(one);
    session.wishes.source = "synth:";
    session.pointer.target.point = glm::vec2(168, 104);
    session.wishes.window.knows_holding = true;
    if (one.second) choose_second_view(session.wishes, SecondView::Kind::maps);
    LiveView view = what_is_seen(one);
    const cv::Mat picture = painting();
    cv::Mat both = picture;
    if (one.second) {
        const TwoViews views = two_views(view.scene.picture, false);
        both = cv::Mat::zeros(int(views.all.y), int(views.all.x), CV_8UC3);
        picture.copyTo(both(cv::Rect(0, 0, picture.cols, picture.rows)));
        picture.copyTo(
            both(cv::Rect(int(views.corner.x), int(views.corner.y), picture.cols, picture.rows)));
    }
    screen.give({.host = PictureView{both.data, uint32_t(both.cols), uint32_t(both.rows),
                                     uint32_t(both.step), true}});
    for (int frame = 0; frame < 6; ++frame) {
        window.events();
        if (!screen.begin()) continue;
        const ViewLayout layout = layout_for(session);
        const ImVec2 dots = ImGui::GetIO().DisplayFramebufferScale;
        screen.set_view({layout.picture.min * glm::vec2(dots.x, dots.y),
                         layout.picture.max * glm::vec2(dots.x, dots.y)});
        view.scene.place = screen.placement(size_of(view.scene));
        const auto [first, second] = places_of(view.scene, layout.picture, {dots.x, dots.y});
        RegionEditor editor;
        ViewInput input{session, view, offers, pull, editor, first, second};
        draw_view(input, layout);
        screen.show();
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
    }
    const Screenshot seen = display.screenshot();
    cv::Mat colours(int(seen.height), int(seen.width), CV_8UC4,
                    const_cast<uint32_t*>(seen.pixels.data()));
    cv::Mat grey, small;
    cv::cvtColor(colours, grey, cv::COLOR_BGRA2GRAY);
    cv::resize(grey, small, {grey.cols / 4, grey.rows / 4}, 0, 0, cv::INTER_AREA);
    return small;
}

#if IMGUI_VERSION_NUM < 18700
// The share of pixels that differ. Letters may be smoothed differently; a part that moves by a line
// changes several times as many.
constexpr double most_difference = 0.005;
double difference(const cv::Mat& then, const cv::Mat& now) {
    cv::Mat apart;
    cv::absdiff(then, now, apart);
    return cv::countNonZero(apart > 32) / double(now.total());
}
#else
// The pictures were made with Dear ImGui 1.86; later versions space lines differently. So the test
// compares how much is drawn in cells of 32 pixels.
constexpr double most_difference = 0.03;
double difference(const cv::Mat& then, const cv::Mat& now) {
    cv::Mat before, after, apart;
    cv::resize(then, before, then.size() / 8, 0, 0, cv::INTER_AREA);
    cv::resize(now, after, now.size() / 8, 0, 0, cv::INTER_AREA);
    cv::absdiff(before, after, apart);
    return cv::countNonZero(apart > 24) / double(after.total());
}
#endif

class StoredPictures : public ::testing::TestWithParam<Case> {};

TEST_P(StoredPictures, the_window_looks_as_it_did) {
    const Case& one = GetParam();
    const cv::Mat now = shown(one);
    const std::string file =
        std::string(places::tests()) + "/app/live/view/stored/" + one.name + ".png";
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

INSTANTIATE_TEST_SUITE_P(Sizes, StoredPictures,
                         ::testing::Values(Case{"700x420", 700, 420, 96, false, true},
                                           Case{"1280x800", 1280, 800, 96, false, false},
                                           Case{"1280x800-two-views", 1280, 800, 96, true, true},
                                           Case{"1400x840-scale-2", 1400, 840, 192, true, false}),
                         [](const auto& one) {
                             std::string name = one.param.name;
                             for (char& c : name)
                                 if (c == '-') c = '_';
                             return "of_" + name;
                         });

}  // namespace
}  // namespace saccade
