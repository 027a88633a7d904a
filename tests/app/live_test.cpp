// The live loop: in this process with the validation layers on, and as the
// program that people start, with and without a window.

#include "app/live.h"

#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/live_loop.h"
#include "app/model_finder.h"
#include "tests/app/program.h"
#include "tests/app/window/display.h"
#include "tests/models/temp_folder.h"

namespace saccade {
namespace {

using namespace std::chrono_literals;

EngineOptions validated() {
    EngineOptions options;
    const char* device = std::getenv("SACCADE_DEVICE");
    if (device) options.device = device;
    options.validation = !std::getenv("SACCADE_NO_VALIDATION");
    options.on_message = [](std::string_view text) { ADD_FAILURE() << "validation: " << text; };
    return options;
}

class LiveLoopTest : public ::testing::Test {
protected:
    LiveLoopTest() : engine(validated()), loop(engine, {}, folder.path()) {
        spdlog::set_level(spdlog::level::off);
        state.detector = default_model(Task::detect);
        state.classifier = state.captioner = "none";
        state.source = "synth:320x240@30?seed=3&objects=2";
    }
    // Steps until it holds, or much too long.
    bool step_until(const std::function<bool()>& holds) {
        const auto end = std::chrono::steady_clock::now() + 60s;
        while (!holds()) {
            if (std::chrono::steady_clock::now() > end) return false;
            if (!loop.step(state)) loop.rest();
        }
        return true;
    }
    bool step_frames(uint64_t count) {
        const uint64_t end = loop.report().frames + count;
        return step_until([&] { return loop.report().frames >= end; });
    }
    static size_t differing(const std::vector<uint8_t>& a, const std::vector<uint8_t>& b) {
        size_t count = 0;
        for (size_t i = 0; i < std::min(a.size(), b.size()); i += 3)
            count += std::abs(a[i] - b[i]) + std::abs(a[i + 1] - b[i + 1]) +
                         std::abs(a[i + 2] - b[i + 2]) >
                     30;
        return count;
    }

    TempFolder folder;
    Engine engine;
    LiveState state;
    LiveLoop loop;
};

TEST_F(LiveLoopTest, finds_what_the_synthetic_camera_shows) {
    loop.wait_for_models(state);
    size_t found = 0, truly = 0;
    for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE(step_frames(1));
        const LiveFrames::Shown& shown = *loop.frames().shown();
        ASSERT_TRUE(shown.info.truth);
        for (const TrueObject& object : shown.info.truth->objects) {
            ++truly;
            for (const Detection& d : shown.detections) {
                const float across =
                    std::min(d.right, object.right) - std::max(d.left, object.left);
                const float down = std::min(d.bottom, object.bottom) - std::max(d.top, object.top);
                const float both = std::max(across, 0.0f) * std::max(down, 0.0f);
                const float all = (d.right - d.left) * (d.bottom - d.top) +
                                  (object.right - object.left) * (object.bottom - object.top) -
                                  both;
                if (loop.report().labels.at(d.id) == object.label && both > all / 2) {
                    ++found;
                    break;
                }
            }
        }
    }
    EXPECT_GT(truly, 0u);
    EXPECT_GE(found * 10, truly * 7) << found << " of " << truly;
}

TEST_F(LiveLoopTest, the_picture_goes_on_while_a_model_is_loaded_and_then_it_is_used) {
    ASSERT_TRUE(step_frames(1)) << "no model is there yet";
    ASSERT_TRUE(step_until([&] { return loop.report().detector.name == state.detector; }));
    ASSERT_TRUE(step_until([&] { return !loop.frames().shown()->detections.empty(); }));
    const uint64_t before = loop.report().frames;
    state.detector = "no-such-model";
    ASSERT_TRUE(step_until([&] { return !loop.report().detector.error.empty(); }));
    EXPECT_NE(loop.report().detector.error.find("no-such-model"), std::string::npos);
    ASSERT_TRUE(step_frames(2));
    EXPECT_EQ(loop.report().detector.name, default_model(Task::detect)) << "the old one works on";
    EXPECT_GT(loop.report().frames, before);
    state.detector = "none";
    ASSERT_TRUE(step_until([&] { return loop.report().detector.name.empty(); }));
    ASSERT_TRUE(step_frames(3));
    EXPECT_TRUE(loop.frames().shown()->detections.empty());
}

TEST_F(LiveLoopTest, a_frozen_picture_stands_still_and_can_be_explored) {
    loop.wait_for_models(state);
    ASSERT_TRUE(step_frames(2));
    state.frozen = true;
    ASSERT_TRUE(step_until([&] { return loop.frames().has_room(); }));
    state.recording = true;
    state.boxes = state.classes = state.caption = false;
    size_t drawn = 0;
    auto settled = [&] {
        for (int quiet = 0; quiet < 5; ++quiet) {
            do {
                if (loop.step(state)) {
                    ++drawn;
                    quiet = 0;
                }
                std::this_thread::sleep_for(1ms);
            } while (!loop.frames().idle());
        }
        const PictureView& view = loop.frames().shown()->picture;
        return std::vector<uint8_t>(view.pixels,
                                    view.pixels + size_t(view.height) * view.row_bytes);
    };
    const std::vector<uint8_t> plain = settled();
    const uint64_t index = loop.frames().shown()->info.index;
    const uint64_t frames = loop.report().frames;
    drawn = 0;
    EXPECT_EQ(differing(settled(), plain), 0u);
    EXPECT_EQ(drawn, 0u) << "nothing is drawn that has not changed";

    state.boxes = true;
    EXPECT_GT(differing(settled(), plain), 50u) << "boxes are drawn onto the same picture";
    state.boxes = false;
    for (AttentionMode mode : attention_modes) {
        if (mode == AttentionMode::off) continue;
        SCOPED_TRACE(name_of(mode));
        state.attention.mode = mode;
        state.attention.layer = 5;
        state.pointer = PicturePoint{80, 60};
        const std::vector<uint8_t> here = settled();
        EXPECT_GT(differing(here, plain), 200u);
        state.pointer = PicturePoint{240, 180};
        EXPECT_GT(differing(settled(), here), 100u) << "another patch looks elsewhere";
    }
    state.attention.mode = AttentionMode::off;
    EXPECT_EQ(differing(settled(), plain), 0u);
    EXPECT_EQ(loop.frames().shown()->info.index, index);
    EXPECT_EQ(loop.report().frames, frames) << "it is still the same one";
}

TEST_F(LiveLoopTest, another_source_takes_the_place_of_one_that_cannot_be_opened) {
    state.detector = "none";
    state.source = "/nowhere/clip.mp4";
    loop.step(state);
    EXPECT_NE(loop.report().source_state.find("/nowhere/clip.mp4"), std::string::npos);
    EXPECT_EQ(loop.picture(), nullptr);
    state.source = "synth:160x120?frames=4";
    ASSERT_TRUE(step_frames(1));
    EXPECT_EQ(loop.picture()->width(), 160u);
    state.source = "synth:96x80?frames=4";
    ASSERT_TRUE(step_frames(1));
    EXPECT_EQ(loop.picture()->width(), 96u);
    ASSERT_TRUE(step_until([&] { return loop.over(); }));
}

TEST_F(LiveLoopTest, screenshots_and_recordings_are_of_what_is_seen) {
    state.detector = "none";
    state.source = "synth:160x120@10";
    ASSERT_TRUE(step_frames(1));
    state.screenshots = 1;
    state.recording = true;
    ASSERT_TRUE(step_frames(6));
    EXPECT_EQ(state.screenshots, 0u);
    state.recording = false;
    ASSERT_TRUE(step_until([&] { return loop.report().notice.ends_with(".mp4"); }));
    size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
        files += entry.path().extension() == ".png" || entry.path().extension() == ".mp4";
    EXPECT_EQ(files, 2u);
}

TEST_F(LiveLoopTest, a_caption_is_written_while_frames_go_on) {
    state.captioner = default_model(Task::caption);
    state.detector = "none";
    loop.wait_for_models(state);
    ASSERT_TRUE(step_until([&] { return !loop.frames().caption().words.empty(); }));
    ASSERT_TRUE(step_until([&] { return !loop.frames().writing(); }));
    EXPECT_NE(loop.frames().caption().text, "");
    // Where it looked when it wrote the first word.
    state.attention.mode = AttentionMode::mean;
    state.word = 0;
    ASSERT_TRUE(step_frames(3));
}

// ---- the program
// ----------------------------------------------------------------------------------

Words small_live(Words more) {
    Words words{"live", "synth:160x120", "--classifier", "none", "--captioner", "none"};
    words.insert(words.end(), more.begin(), more.end());
    return on_test_device(words);
}

TEST(LiveProgram, without_a_display_says_so_and_what_else_there_is) {
    ::unsetenv("DISPLAY");
    ::unsetenv("WAYLAND_DISPLAY");
    const Outcome outcome = saccade_program(small_live({"--detector", "none"}));
    expect_refused(outcome, 1, "--headless");
    expect_says(outcome.err, "batch");
}

TEST(LiveProgram, runs_the_loop_without_a_window) {
    const Outcome outcome =
        saccade_program(small_live({"--headless", "--frames", "5", "--detector", "none"}));
    expect_done(outcome);
    expect_says(outcome.out, "5 frames in ");
}

TEST(LiveProgram, ends_cleanly_when_it_is_interrupted) {
    Program program(SACCADE_PROGRAM, small_live({"--headless", "--detector", "none"}));
    std::this_thread::sleep_for(2s);
    program.send(SIGINT);
    const Outcome outcome = program.wait();
    expect_done(outcome);
    expect_says(outcome.out, " frames in ");
}

TEST(LiveProgram, a_model_that_is_not_there_is_an_error_without_a_window) {
    expect_refused(saccade_program(small_live({"--headless", "--detector", "no-such-model"})), 1,
                   "no-such-model");
}

TEST(LiveProgram, shows_its_window_obeys_keys_and_remembers) {
    const TestDisplay display(800, 600);
    const TempFolder config;
    ::setenv("DISPLAY", display.name().c_str(), 1);
    ::setenv("XDG_CONFIG_HOME", config.path().c_str(), 1);
    Program program(SACCADE_PROGRAM, small_live({"--detector", "none"}));
    auto eventually = [&](const std::function<bool(const Screenshot&)>& holds) {
        const auto end = std::chrono::steady_clock::now() + 60s;
        while (!holds(display.screenshot())) {
            if (std::chrono::steady_clock::now() > end) return false;
            std::this_thread::sleep_for(50ms);
        }
        return true;
    };
    auto lit = [](const Screenshot& s, uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1) {
        size_t count = 0;
        for (uint32_t y = y0; y < y1; ++y)
            for (uint32_t x = x0; x < x1; ++x) count += s.at(x, y) != 0;
        return count;
    };
    display.move_mouse(500, 300);
    EXPECT_TRUE(eventually([&](const Screenshot& s) { return lit(s, 400, 0, 800, 600) > 20000; }))
        << "the camera's picture";
    display.press("space");
    display.press("p");
    display.press("c");
    std::this_thread::sleep_for(1s);
    display.press("q");
    expect_done(program.wait());
    ::unsetenv("DISPLAY");
    ::unsetenv("XDG_CONFIG_HOME");
    std::ifstream file(config / "saccade" / "window.json");
    const auto settings = nlohmann::json::parse(file, nullptr, false);
    ASSERT_TRUE(settings.is_object());
    EXPECT_EQ(settings["panels"], false);
    EXPECT_EQ(settings["caption"], false);
    EXPECT_EQ(settings["boxes"], true);
}

}  // namespace
}  // namespace saccade
