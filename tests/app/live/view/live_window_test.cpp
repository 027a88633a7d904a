// The program's window, driven by keyboard and mouse.

#include "app/live/view/live_window.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/draw/colour.h"
#include "app/io/picture_file.h"
#include "app/sources/open_source.h"
#include "app/track/region_store.h"
#include "tests/app/live/window/display.h"
#include "tests/app/program.h"
#include "tests/app/sources/frames.h"
#include "tests/app/sources/network_camera.h"
#include "tests/models/files/temp_folder.h"
#include "tests/places.h"

namespace saccade {
namespace {

using namespace std::chrono_literals;

// The program's window on a display of its own.
class LiveWindowTest : public ::testing::Test {
protected:
    LiveWindowTest() {
        std::filesystem::create_directory(temp / "saccade");
        temp.write("saccade/window.json", R"({"width": 640, "height": 520})");
        ::setenv("DISPLAY", display.name().c_str(), 1);
        ::setenv("XDG_CONFIG_HOME", temp.path().c_str(), 1);
    }
    ~LiveWindowTest() override {
        ::unsetenv("DISPLAY");
        ::unsetenv("XDG_CONFIG_HOME");
    }
    bool eventually(const std::function<bool(const Screenshot&)>& holds) const {
        const auto end = std::chrono::steady_clock::now() + 90s;
        while (!holds(display.screenshot())) {
            if (std::chrono::steady_clock::now() > end) return false;
            std::this_thread::sleep_for(50ms);
        }
        return true;
    }
    // How many pixels of a part of the display match.
    using Part = Rectangle;
    static size_t count(const Screenshot& s, const Part& part,
                        const std::function<bool(uint32_t x, uint32_t y)>& holds) {
        size_t count = 0;
        const auto right = std::min(uint32_t(part.max.x), s.width);
        const auto bottom = std::min(uint32_t(part.max.y), s.height);
        for (auto y = uint32_t(part.min.y); y < bottom; ++y)
            for (auto x = uint32_t(part.min.x); x < right; ++x) count += holds(x, y);
        return count;
    }
    static size_t lit(const Screenshot& s, const Part& part) {
        return count(s, part, [&](uint32_t x, uint32_t y) { return s.at(x, y) != 0; });
    }
    // Letters.
    static size_t bright(const Screenshot& s, const Part& part) {
        return count(s, part, [&](uint32_t x, uint32_t y) { return (s.at(x, y) & 0xff) > 0xa0; });
    }
    static size_t of_colour(const Screenshot& s, const Part& part, uint32_t colour) {
        return count(s, part, [&](uint32_t x, uint32_t y) {
            int far = 0;
            for (uint32_t shift : {0u, 8u, 16u})
                // Our words begin with red, X's with blue.
                far += std::abs(int(s.at(x, y) >> (16 - shift) & 255) - int(colour >> shift & 255));
            return far < 60;
        });
    }
    static size_t differing(const Screenshot& a, const Screenshot& b, const Part& part) {
        return count(a, part, [&](uint32_t x, uint32_t y) { return a.at(x, y) != b.at(x, y); });
    }
    // The display once it no longer changes.
    Screenshot settled() const {
        Screenshot before = display.screenshot();
        for (int same = 0; same < 20;) {
            std::this_thread::sleep_for(100ms);
            Screenshot now = display.screenshot();
            same = now.pixels == before.pixels ? same + 1 : 0;
            before = std::move(now);
        }
        return before;
    }
    // Presses a key, which must change the display.
    Screenshot after_key(const char* key) const {
        const Screenshot before = display.screenshot();
        display.press(key);
        EXPECT_TRUE(eventually([&](const Screenshot& s) { return s.pixels != before.pixels; }))
            << key;
        return settled();
    }

    inline static const Part everything{0, 0, 800, 600};
    const TestDisplay display{800, 600};
    const TempFolder temp;
};

TEST_F(LiveWindowTest, obeys_keys_and_remembers) {
    Program program(places::program(),
                    small_live({"--no-tour", "--detector", "none", "--threshold", "0", "--track"}));
    display.move_mouse(500, 300);
    EXPECT_TRUE(eventually([&](const Screenshot& s) {
        return lit(s, {400, 0, 640, 520}) > 20000;
    })) << "the camera's picture";
    display.press("space");
    display.press("p");
    display.press("c");
    std::this_thread::sleep_for(1s);
    display.press("q");
    expect_done(program.wait());
    std::ifstream file(temp / "saccade" / "window.json");
    const auto settings = nlohmann::json::parse(file, nullptr, false);
    ASSERT_TRUE(settings.is_object());
    EXPECT_EQ(settings["width"], 640);
    EXPECT_EQ(settings["panels"], false);
    EXPECT_EQ(settings["caption"], false);
    EXPECT_EQ(settings["boxes"], true);
    EXPECT_FALSE(settings.contains("threshold")) << "the command line is for one run";
    EXPECT_EQ(settings["track"], false);
}

TEST_F(LiveWindowTest, a_camera_that_is_missing_is_told_and_comes_when_it_is_there) {
    const std::string url = "http://127.0.0.1:" + std::to_string(free_port());
    NetworkCamera camera(make_clip(temp, "clip.mp4", 25),
                         {"-c:v", "mjpeg", "-f", "mpjpeg", "-listen", "1"}, url);
    Program program(places::program(),
                    on_test_device({"live", url, "--no-tour", "--detector", "none", "--classifier",
                                    "none", "--captioner", "none"}));
    display.move_mouse(500, 300);
    EXPECT_TRUE(eventually([&](const Screenshot& s) { return lit(s, everything) > 5000; }));
    display.press("p");
    EXPECT_TRUE(eventually([&](const Screenshot& s) {
        return bright(s, {0, 0, 640, 300}) > 500 && bright(s, {0, 300, 640, 480}) < 100;
    })) << "why there is no picture, and what could be opened";
    camera.start();
    EXPECT_TRUE(eventually([&](const Screenshot& s) {
        return count(s, everything,
                     [&](uint32_t x, uint32_t y) { return (s.at(x, y) & 0xc0c0c0) != 0; }) > 100000;
    })) << "its picture";
    camera.cut();
    std::this_thread::sleep_for(500ms);
    display.press("q");
    const Outcome outcome = program.wait();
    EXPECT_EQ(outcome.code, 0);
    expect_says(outcome.err, "the stream '" + url + "' cannot be opened");
    const Words lines = lines_of(outcome.err);
    EXPECT_EQ(std::ranges::adjacent_find(lines), lines.end()) << "said twice:\n" << outcome.err;
}

TEST_F(LiveWindowTest, several_sources_lie_side_by_side_and_a_click_brings_one_to_the_front) {
    temp.write("saccade/window.json", R"({"width": 640, "height": 520, "panels": false})");
    const std::filesystem::path dark = temp / "dark.png", light = temp / "light.png";
    write_picture(dark, cv::Mat(90, 160, CV_8UC3, cv::Scalar(90, 10, 10)));
    write_picture(light, cv::Mat(90, 160, CV_8UC3, cv::Scalar(10, 190, 10)));
    Program program(places::program(),
                    on_test_device({"live", "blue=" + dark.string(), "green=" + light.string(),
                                    "gone=rtsp://127.0.0.1:1/", "--detector", "none",
                                    "--classifier", "none", "--captioner", "none"}));
    auto is = [](const Screenshot& s, uint32_t x, uint32_t y, uint32_t shift) {
        return (s.at(x, y) >> shift & 255) > 60 && (s.at(x, y) & 0xff0000) < 0x400000;
    };
    auto count_of = [&](const Screenshot& s, uint32_t shift) {
        return count(s, everything, [&](uint32_t x, uint32_t y) {
            return is(s, x, y, shift) && !is(s, x, y, 8 - shift);
        });
    };
    // Two rows: blue and green, and below them the one that is gone.
    EXPECT_TRUE(eventually([&](const Screenshot& s) {
        return count_of(s, 0) > 30000 && count_of(s, 8) > 30000 &&
               bright(s, {100, 240, 540, 500}) > 50;
    })) << "both pictures, and why there is no third";
    EXPECT_LT(count_of(display.screenshot(), 8), 80000u);
    display.click(480, 130);
    EXPECT_TRUE(eventually([&](const Screenshot& s) {
        return count_of(s, 8) > 150000 && count_of(s, 0) < 3000;
    })) << "the green one alone";
    display.press("Escape");
    EXPECT_TRUE(eventually([&](const Screenshot& s) {
        return count_of(s, 0) > 30000 && count_of(s, 8) > 30000;
    })) << "all of them again";
    display.move_mouse(160, 130);
    display.press("Return");
    EXPECT_TRUE(eventually([&](const Screenshot& s) {
        return count_of(s, 0) > 150000 && count_of(s, 8) < 3000;
    })) << "the blue one alone";
    display.press("q");
    EXPECT_EQ(program.wait().code, 0);
}

// A single picture of the synthetic camera, whose objects are known.
TEST_F(LiveWindowTest, shows_a_box_where_the_object_is_heat_where_it_looks_and_the_caption) {
    const auto source = open_source("synth:320x240?seed=5&objects=1");
    const Shot shot = *next_shot(*source);
    ASSERT_EQ(shot.info.truth->objects.size(), 1u);
    const TrueObject& object = shot.info.truth->objects.front();
    std::filesystem::create_directory(temp / "pictures");
    write_picture(temp / "pictures" / "one.png", shot.pixels);
    temp.write("saccade/window.json", R"({"width": 640, "height": 520, "panels": false})");
    Program program(
        places::program(),
        on_test_device({"live", temp / "pictures", "--no-tour", "--detector", "emoji-detector",
                        "--classifier", "emoji-classifier", "--captioner", "emoji-captioner"}));
    display.move_mouse(320, 510);  // in the window, but not in the picture

    // The picture is shown twice as large, above the status line.
    const float top = 6;
    const Part box{2 * object.box.min.x - 8, top + 2 * object.box.min.y - 8,
                   2 * object.box.max.x + 8, top + 2 * object.box.max.y + 8};
    const Part inside{box.min.x + 24, box.min.y + 24, box.max.x - 24, box.max.y - 24};
    const float around = 2 * (box.max.x - box.min.x + box.max.y - box.min.y);
    const uint32_t colour = class_colour(object.id);
    EXPECT_TRUE(eventually([&](const Screenshot& s) {
        return float(of_colour(s, box, colour)) > around / 2;
    })) << object.label;
    const Screenshot all = after_key("space");
    const Screenshot no_boxes = after_key("d");
    EXPECT_GT(float(differing(all, no_boxes, box)), around) << "boxes go with D";
    EXPECT_LT(float(of_colour(no_boxes, box, colour)), around / 4);
    EXPECT_EQ(differing(all, no_boxes, inside), 0u);
    const Screenshot no_caption = after_key("c");
    EXPECT_GT(differing(no_boxes, no_caption, {0, top + 380, 640, top + 480}), 2000u)
        << "captions with C";
    EXPECT_EQ(differing(no_boxes, no_caption, {0, 0, 640, top + 320}), 0u);
    const Screenshot heat = after_key("o");
    auto change = [&](const Part& part) {
        double sum = 0;
        count(heat, part, [&](uint32_t x, uint32_t y) {
            for (int shift : {0, 8, 16})
                sum += std::abs(int(heat.at(x, y) >> shift & 255) -
                                int(no_caption.at(x, y) >> shift & 255));
            return true;
        });
        return sum;
    };
    const double area = double(inside.max.x - inside.min.x) * (inside.max.y - inside.min.y);
    const double rest = change({0, top, 640, top + 480}) - change(inside);
    EXPECT_GT(change(inside) / area, 1.5 * rest / (640 * 480 - area))
        << "what the models look at is what there is to see";
    display.press("q");
    expect_done(program.wait());
}

// A picture of 320 x 240 that is shown twice as large, six pixels below the window's edge.
TEST_F(LiveWindowTest, lines_are_drawn_with_the_mouse_and_are_there_again_the_next_time) {
    const auto source = open_source("synth:320x240?seed=5&objects=1");
    std::filesystem::create_directory(temp / "pictures");
    write_picture(temp / "pictures" / "one.png", next_shot(*source)->pixels);
    temp.write("saccade/window.json", R"({"width": 640, "height": 520, "panels": false})");
    const Words words = on_test_device({"live", temp / "pictures", "--no-tour", "--detector",
                                        "none", "--classifier", "none", "--captioner", "none"});
    const uint32_t ink = rgba(255, 210, 60);
    const Part line{196, 100, 205, 300};
    auto shows_picture = [&](const Screenshot& s) {
        return count(s, everything,
                     [&](uint32_t x, uint32_t y) { return (s.at(x, y) & 0xc0c0c0) != 0; }) > 100000;
    };
    {
        Program program(places::program(), words);
        display.move_mouse(320, 510);
        ASSERT_TRUE(eventually(shows_picture));
        EXPECT_LT(of_colour(display.screenshot(), line, ink), 100u);
        display.press("z");
        display.click(200, 106);
        std::this_thread::sleep_for(1s);  // no double click
        display.click(200, 306);
        display.press("Return");
        EXPECT_TRUE(eventually([&](const Screenshot& s) { return of_colour(s, line, ink) > 200; }));
        display.press("q");
        expect_done(program.wait());
    }
    const RegionStore store(temp / "saccade" / "zones");
    const Regions drawn = store.read((temp / "pictures").string());
    ASSERT_EQ(drawn.all.size(), 1u);
    EXPECT_EQ(drawn.size, (Size{320, 240}));
    EXPECT_EQ(drawn.all[0].name, "line 1");
    EXPECT_NEAR(drawn.all[0].corners[0].x, 100, 1);
    EXPECT_NEAR(drawn.all[0].corners[0].y, 50, 1);
    EXPECT_NEAR(drawn.all[0].corners[1].y, 150, 1);
    {
        Program program(places::program(), words);
        display.move_mouse(320, 510);
        ASSERT_TRUE(eventually(shows_picture));
        display.press("z");
        EXPECT_TRUE(eventually([&](const Screenshot& s) { return of_colour(s, line, ink) > 200; }));
        display.press("q");
        expect_done(program.wait());
    }
}

}  // namespace
}  // namespace saccade
