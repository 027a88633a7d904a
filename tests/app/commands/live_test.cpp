// The live loop: in this process with the validation layers on, and as the program that people
// start, with and without a window.

#include "app/commands/live.h"

#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "app/draw/annotate.h"
#include "app/draw/colour.h"
#include "app/io/picture_file.h"
#include "app/live/loop.h"
#include "app/sources/open_source.h"
#include "app/track/region_store.h"
#include "tests/app/live/stepped_loop.h"
#include "tests/app/live/window/display.h"
#include "tests/app/program.h"
#include "tests/app/sources/frames.h"
#include "tests/app/sources/network_camera.h"
#include "tests/models/files/temp_folder.h"
#include "tests/places.h"

namespace saccade {
namespace {

using namespace std::chrono_literals;

class LiveLoopTest : public SteppedLoop {
protected:
    LiveLoopTest() : SteppedLoop(impatient) {
        state.detector = "emoji-detector";
        state.classifier = state.captioner = "none";
        state.source = "synth:320x240@30?seed=3&objects=2";
    }
    bool found_something() const {
        const auto& detections = loop.shown()->result.detections;
        return detections && !detections->empty();
    }
    static size_t differing(const std::vector<uint8_t>& a, const std::vector<uint8_t>& b) {
        size_t count = 0;
        for (size_t i = 0; i < std::min(a.size(), b.size()); i += 3)
            count += std::abs(a[i] - b[i]) + std::abs(a[i + 1] - b[i + 1]) +
                         std::abs(a[i + 2] - b[i + 2]) >
                     30;
        return count;
    }
};

TEST_F(LiveLoopTest, finds_what_the_synthetic_camera_shows_and_keeps_the_score) {
    state.source = "synth:320x240@30?seed=1&objects=2";  // of whose first seconds nothing is hard
    loop.wait_for_models(state);
    ASSERT_TRUE(step_frames(6));
    ASSERT_TRUE(loop.report().score);
    const Tally found = loop.report().score->objects();
    EXPECT_GE(found.right + found.missed, 3u);
    EXPECT_GE(found.recall(), 0.7);
    EXPECT_GE(found.precision(), 0.7);
    EXPECT_GE(loop.report().gpu_idle, 0);
    EXPECT_LT(loop.report().gpu_idle, 1) << "it has done something";

    state.threshold = 1;
    ASSERT_TRUE(step_frames(4));
    EXPECT_LT(loop.report().score->objects().recall(), 0.7) << "another threshold, another account";
    state.only = {"no such thing"};
    ASSERT_TRUE(step_frames(4));
    EXPECT_TRUE(loop.shown()->result.detections->empty()) << "not all of them";
    expect_says(error_of([&] { loop.wait_for_models(state); }), "no such thing");
}

TEST_F(LiveLoopTest, models_look_at_their_own_rates_and_what_they_found_stays_meanwhile) {
    state.classifier = "emoji-classifier";
    state.detector_stride = 3;
    loop.wait_for_models(state);
    ASSERT_TRUE(step_frames(1));
    ASSERT_TRUE(step_until([&] { return found_something(); }));
    size_t frames = 0, detected = 0;
    for (uint64_t last = loop.report().frames; frames < 12; last = loop.report().frames) {
        ASSERT_TRUE(step_until([&] { return loop.report().frames > last; }));
        // Two may have been finished at a time.
        frames += loop.report().frames - last;
        detected += loop.shown()->detected;
        EXPECT_FALSE(loop.shown()->result.detections->empty());
        EXPECT_FALSE(loop.shown()->result.classes->empty());
    }
    EXPECT_GT(detected, 0u);
    EXPECT_LE(detected, 5u);
    for (const StageTimes::Stage& stage : loop.report().stages.stages) {
        if (stage.name == "detector") {
            EXPECT_LT(stage.ms.count(), loop.report().frames / 2);
        }
        if (stage.name == "classifier") {
            EXPECT_GT(stage.ms.count(), loop.report().frames / 2);
        }
    }
    // Whoever looks into it sees the frame that was looked at last.
    state.attention.mode = AttentionMode::mean;
    state.pointer = glm::vec2{80, 60};
    ASSERT_TRUE(step_frames(4));
}

TEST_F(LiveLoopTest, models_of_other_forms_take_each_others_place) {
    const TempFolder models;
    state.source = "synth:96x64@30";
    state.attention.mode = AttentionMode::grid;
    const std::string detectors[] = {model_folder(models, "yolos-nano"),
                                     model_folder(models, "yolos-mid")};
    const std::string classifiers[] = {model_folder(models, "vit-nano"),
                                       model_folder(models, "vit-odd")};
    for (int i : {0, 1, 0}) {
        SCOPED_TRACE(i);
        state.detector = detectors[i];
        state.classifier = classifiers[i];
        loop.wait_for_models(state);
        state.threshold = 0;
        ASSERT_TRUE(step_frames(7)) << "every slot has been in use";
        EXPECT_GT(loop.shown()->result.classes->size(), 0u);
        state.query = 3;
        ASSERT_TRUE(step_frames(2));
    }
}

TEST_F(LiveLoopTest, the_picture_goes_on_while_a_model_is_loaded_and_then_it_is_used) {
    ASSERT_TRUE(step_frames(1)) << "no model is there yet";
    ASSERT_TRUE(step_until([&] { return loop.report().detector.name == state.detector; }));
    EXPECT_EQ(loop.report().detector.progress, 1) << "all of it was loaded";
    ASSERT_TRUE(step_until([&] { return found_something(); }));
    const uint64_t before = loop.report().frames;
    state.detector = "no-such-model";
    ASSERT_TRUE(step_until([&] { return !loop.report().detector.error.empty(); }));
    EXPECT_NE(loop.report().detector.error.find("no-such-model"), std::string::npos);
    ASSERT_TRUE(step_frames(2));
    EXPECT_EQ(loop.report().detector.name, "emoji-detector") << "the old one works on";
    EXPECT_GT(loop.report().frames, before);
    state.detector = "none";
    ASSERT_TRUE(step_until([&] { return loop.report().detector.name.empty(); }));
    ASSERT_TRUE(step_frames(3));
    EXPECT_FALSE(loop.shown()->result.detections) << "nobody has looked for any";
}

TEST_F(LiveLoopTest, a_model_that_nobody_chose_goes_with_the_source) {
    state.detector.clear();
    loop.wait_for_models(state);
    ASSERT_TRUE(step_frames(1));
    EXPECT_EQ(loop.report().detector.name, "emoji-detector");
    state.source = golden_picture();
    ASSERT_TRUE(step_until([&] { return loop.report().detector.name == "photo-detector"; }));
    ASSERT_TRUE(step_until([&] { return found_something(); }));
    const Detection& found = loop.shown()->result.detections->front();
    EXPECT_EQ(loop.report().labels.at(found.id), "cat");
}

TEST_F(LiveLoopTest, a_slow_device_gets_one_frame_at_a_time_and_a_fast_one_two) {
    EXPECT_EQ(LiveLoop::most_in_flight(5), 2u);
    EXPECT_EQ(LiveLoop::most_in_flight(1000), 1u);
    state.detector = "photo-detector";  // some 300 ms on software Vulkan, with the classifier
    state.classifier = "photo-classifier";
    loop.wait_for_models(state);
    ASSERT_TRUE(step_frames(2));
    ASSERT_TRUE(step_until([&] { return !loop.idle(); }));
    double ms = 0;
    for (const auto& [stage, took] : loop.shown()->result.ms) ms += took;
    if (ms > LiveLoop::slow_ms)
        EXPECT_FALSE(loop.has_room()) << ms << " ms";
    else
        EXPECT_TRUE(step_until([&] { return loop.has_room(); })) << ms << " ms";
}

TEST_F(LiveLoopTest, a_frozen_picture_stands_still_and_can_be_explored) {
    loop.wait_for_models(state);
    ASSERT_TRUE(step_frames(2));
    const uint64_t seen = loop.shown()->result.info.index;
    state.frozen = true;
    ASSERT_TRUE(step_until([&] { return loop.has_room(); }));
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
            } while (!loop.idle());
        }
        const PictureView& view = loop.shown()->picture;
        return std::vector<uint8_t>(view.pixels,
                                    view.pixels + size_t(view.height) * view.row_bytes);
    };
    auto answers = [&] {
        std::vector<float> all;
        for (const Detection& d : *loop.shown()->result.detections)
            all.insert(all.end(),
                       {float(d.id), d.score, d.box.min.x, d.box.min.y, d.box.max.x, d.box.max.y});
        return all;
    };
    const std::vector<uint8_t> plain = settled();
    const std::vector<float> found = answers();
    EXPECT_GT(found.size(), 0u);
    const uint64_t index = loop.shown()->result.info.index;
    EXPECT_EQ(index, seen) << "what was there, not what was on its way";
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
        state.pointer = glm::vec2{80, 60};
        const std::vector<uint8_t> here = settled();
        EXPECT_GT(differing(here, plain), 200u);
        state.pointer = glm::vec2{240, 180};
        if (mode != AttentionMode::colours) {  // which are the same wherever one points
            EXPECT_GT(differing(settled(), here), 10u) << "another patch looks elsewhere";
        }
        state.query = loop.shown()->result.detections->front().query;
        EXPECT_GT(differing(settled(), here), 10u) << "and so does a detection";
        EXPECT_EQ(answers(), found) << "looking changes no answer";
        state.query.reset();
    }
    state.attention.mode = AttentionMode::off;
    state.truth = true;
    EXPECT_GT(differing(settled(), plain), 50u);
    state.truth = false;
    EXPECT_EQ(differing(settled(), plain), 0u);
    EXPECT_EQ(loop.shown()->result.info.index, index);
    EXPECT_EQ(loop.report().frames, frames) << "it is still the same one";
}

TEST_F(LiveLoopTest, things_have_numbers_and_lines_count_them) {
    state.track = true;
    state.regions = {
        .size = std::nullopt,
        .all = {{"all", true, {{0, 0}, {320, 0}, {320, 240}, {0, 240}}, Anchor::middle}}};
    loop.wait_for_models(state);
    ASSERT_TRUE(step_until([&] {
        return loop.report().tracks && loop.report().tracks->seen > 0 && loop.shown() &&
               !loop.shown()->result.tracks.empty() && loop.shown()->result.tracks[0] > 0;
    }));
    const FrameResult& shown = loop.shown()->result;
    EXPECT_EQ(shown.tracks.size(), shown.detections->size());
    ASSERT_EQ(loop.report().tracks->counts.size(), 1u);
    EXPECT_FALSE(loop.report().tracks->counts[0].classes.empty()) << "all of it is the zone";

    // A frozen picture keeps its numbers, however often it is drawn.
    state.frozen = true;
    ASSERT_TRUE(step_until([&] { return loop.idle(); }));
    const std::vector<uint32_t> numbers = loop.shown()->result.tracks;
    state.query = (*loop.shown()->result.detections)[0].query;
    ASSERT_TRUE(step_until([&] { return loop.idle() && loop.shown()->repeated; }));
    EXPECT_EQ(loop.shown()->result.tracks, numbers);

    state.frozen = state.track = false;
    state.regions = {};
    ASSERT_TRUE(
        step_until([&] { return !loop.report().tracks && loop.shown()->result.tracks.empty(); }));
}

TEST_F(LiveLoopTest, a_track_that_is_clicked_is_followed_and_so_is_its_attention) {
    state.track = true;
    state.attention.mode = AttentionMode::mean;
    loop.wait_for_models(state);
    using Followed = TrackReport::Followed;
    std::set<uint64_t> frames;  // in which it was
    for (int clicks = 0; clicks < 10 && frames.size() < 2; ++clicks) {
        ASSERT_TRUE(step_until([&] {
            return loop.shown() && !loop.shown()->result.tracks.empty() &&
                   loop.shown()->result.tracks[0] > 0;
        }));
        const uint32_t number = loop.shown()->result.tracks[0];
        state.query = (*loop.shown()->result.detections)[0].query;
        ASSERT_TRUE(step_until([&] { return loop.report().tracks->followed == number; }));
        ASSERT_TRUE(step_frames(3));  // those on their way knew nothing of the click
        // The camera goes on meanwhile, and its scene may be over.
        while (loop.report().tracks->state != Followed::gone && frames.size() < 2) {
            const FrameResult& shown = loop.shown()->result;
            const auto place = std::ranges::find(shown.tracks, number);
            const std::optional<AttentionSeen>& seen = loop.shown()->attention;
            EXPECT_EQ(seen.has_value(), place != shown.tracks.end())
                << "what nobody sees looks at nothing";
            if (seen && place != shown.tracks.end()) {
                const auto index = static_cast<size_t>(place - shown.tracks.begin());
                EXPECT_EQ(seen->looker.query, (*shown.detections)[index].query);
                frames.insert(shown.info.index);
            }
            ASSERT_TRUE(step_frames(1));
        }
        state.query.reset();
        ASSERT_TRUE(step_until([&] { return loop.report().tracks->followed == 0; }));
    }
    EXPECT_EQ(frames.size(), 2u);
}

TEST_F(LiveLoopTest, who_watches_from_elsewhere_gets_planes_and_maps_of_his_own) {
    state.classifier = "emoji-classifier";
    loop.wait_for_models(state);
    ASSERT_TRUE(step_until([&] { return loop.shown() && found_something(); }));
    EXPECT_FALSE(loop.shown()->planes.memory);
    state.planes = true;
    RemoteLook left{.viewer = 1, .attention = {.mode = AttentionMode::mean}};
    left.pointer = glm::vec2(20, 20);
    RemoteLook right = left;
    right.viewer = 2;
    right.pointer = glm::vec2(300, 220);
    const RemoteLook whole{.viewer = 3,
                           .attention = {.mode = AttentionMode::rollout},
                           .asked = AskedModel::classifier};
    state.looks = {left, right, whole};
    ASSERT_TRUE(step_until([&] { return loop.shown()->maps.size() == 3; }));
    EXPECT_TRUE(loop.shown()->planes.memory);
    const std::vector<MapOnHost> maps = loop.shown()->maps;
    EXPECT_EQ(maps[1].whose, 2u);
    EXPECT_NE(maps[0].cells, maps[1].cells);
    EXPECT_EQ(maps[2].looker.token, Looker::Token::class_token);

    // A picture that stands still is looked at anew when one of them points elsewhere.
    state.frozen = true;
    ASSERT_TRUE(step_until([&] { return loop.idle(); }));
    ASSERT_TRUE(found_something());
    const uint64_t frame = loop.shown()->result.info.index;
    state.looks = {left};
    state.looks[0].query = loop.shown()->result.detections->front().query;
    ASSERT_TRUE(step_until([&] {
        return loop.shown() && loop.shown()->maps.size() == 1 &&
               loop.shown()->maps[0].looker.token == Looker::Token::query;
    }));
    EXPECT_EQ(loop.shown()->result.info.index, frame);
    state.looks.clear();
    state.planes = state.frozen = false;
    ASSERT_TRUE(step_until([&] { return loop.shown()->maps.empty(); }));
}

TEST_F(LiveLoopTest, another_source_takes_the_place_of_one_that_cannot_be_opened) {
    state.detector = "none";
    state.source = "/nowhere/clip.mp4";
    loop.step(state);
    EXPECT_NE(loop.report().source_state.find("/nowhere/clip.mp4"), std::string::npos);
    EXPECT_EQ(loop.picture(), nullptr);
    state.detector = "emoji-detector";  // which is being loaded meanwhile
    loop.step(state);
    loop.rest();
    state.detector = "none";
    state.source = "synth:160x120?frames=4";
    ASSERT_TRUE(step_frames(1));
    EXPECT_EQ(loop.picture()->width(), 160u);
    state.source = "synth:96x80?frames=4";
    ASSERT_TRUE(step_frames(1));
    EXPECT_EQ(loop.picture()->width(), 96u);
    ASSERT_TRUE(step_until([&] { return loop.over(); }));
}

TEST_F(LiveLoopTest, what_is_frozen_before_there_is_a_picture_shows_the_first) {
    state.detector = "none";
    state.frozen = true;
    for (const char* source : {"synth:160x120", "synth:96x80"}) {
        state.source = source;
        loop.step(state);
        EXPECT_EQ(loop.picture(), nullptr);
        ASSERT_TRUE(step_until([&] { return loop.shown().has_value(); })) << source;
        EXPECT_LE(loop.shown()->result.info.index, 2u);
    }
    const uint64_t frames = loop.report().frames;
    for (int i = 0; i < 50; ++i)
        if (!loop.step(state)) loop.rest();
    EXPECT_LE(loop.report().frames, frames + 1) << "and then it stands still";
}

TEST_F(LiveLoopTest, a_recording_that_cannot_be_written_ends_and_is_told_once) {
    state.detector = "none";
    state.source = "synth:160x120@10";
    ASSERT_TRUE(step_frames(1));
    std::filesystem::remove_all(folder.path());
    state.recording = true;
    ASSERT_TRUE(step_until([&] { return !state.recording; }));
    EXPECT_EQ(loop.report().failed_recordings, 1u);
    expect_says(loop.report().notice, "cannot be written");
}

TEST_F(LiveLoopTest, a_stream_that_is_not_there_stalls_or_drops_is_told_and_comes_back) {
    const std::string url = "tcp://127.0.0.1:" + std::to_string(free_port());
    NetworkCamera camera(make_clip(folder, "clip.mp4", 25), {"-c", "copy", "-f", "mpegts"},
                         url + "?listen=1");
    state.detector = "none";
    state.source = url;
    auto told = [&](const char* what) {
        return step_until(
            [&] { return loop.report().source_state.find(what) != std::string::npos; });
    };
    EXPECT_TRUE(told("cannot be opened"));
    EXPECT_EQ(loop.picture(), nullptr);
    camera.start();
    ASSERT_TRUE(step_frames(3));
    EXPECT_EQ(loop.report().source_state, "");
    camera.freeze();
    ASSERT_TRUE(told("has stalled"));
    EXPECT_NE(loop.picture(), nullptr) << "the last picture stays";
    const uint64_t last = loop.shown()->result.info.index;
    camera.cut();
    camera.start();
    ASSERT_TRUE(step_frames(3));
    EXPECT_GT(loop.shown()->result.info.index, last) << "the count goes on";
    EXPECT_EQ(loop.report().source_state, "");
    camera.cut();
    ASSERT_TRUE(told(url.c_str()));
}

TEST_F(LiveLoopTest, screenshots_and_recordings_are_of_what_is_seen) {
    state.detector = "none";
    state.source = "synth:160x120@10";
    ASSERT_TRUE(step_frames(1));
    state.screenshots = 1;
    state.recording = true;
    ASSERT_TRUE(step_frames(6));
    state.recording = false;
    ASSERT_TRUE(step_until([&] { return loop.report().notice.ends_with(".mp4"); }));
    size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
        files += entry.path().extension() == ".png" || entry.path().extension() == ".mp4";
    EXPECT_EQ(files, 2u);
}

TEST_F(LiveLoopTest, a_caption_is_written_while_frames_go_on) {
    state.captioner = "emoji-captioner";
    state.detector = "none";
    loop.wait_for_models(state);
    ASSERT_TRUE(step_until([&] { return !loop.captions().caption().words.empty(); }));
    ASSERT_TRUE(step_until([&] { return !loop.captions().writing(); }));
    EXPECT_NE(loop.captions().caption().text, "");
    ASSERT_TRUE(loop.report().score);
    EXPECT_EQ(loop.report().score->captions(), 1u);
    // Where it looked when it wrote the first word.
    state.attention.mode = AttentionMode::mean;
    state.word = 0;
    ASSERT_TRUE(step_frames(3));
}

// ---- the program -------------------------------------------------------------------------------

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
    expect_says(outcome.err, "--serve 8080 shows it in a browser");
    expect_says(outcome.err, "batch");
}

TEST(LiveProgram, runs_the_loop_without_a_window) {
    const Outcome outcome =
        saccade_program(small_live({"--headless", "--frames", "5", "--detector", "none"}));
    expect_done(outcome);
    expect_says(outcome.out, "5 frames in ");
    expect_says(outcome.out, "GPU idle ");
}

TEST(LiveProgram, without_a_window_counts_in_lines_that_were_drawn_and_says_what) {
    const TempFolder temp;
    const std::string source = "synth:160x120@10?seed=3&objects=1";
    Regions door{.size = Size(160, 120), .all = {}};
    door.all.push_back({.name = "door", .corners = {{80, 0}, {80, 120}}});
    RegionStore(temp / "saccade" / "zones").write(source, door);
    ::setenv("XDG_CONFIG_HOME", temp.path().c_str(), 1);
    const Outcome outcome = saccade_program(on_test_device(
        {"live", source, "--headless", "--frames", "2", "--classifier", "none", "--captioner",
         "none"}));
    ::unsetenv("XDG_CONFIG_HOME");
    expect_done(outcome);
    expect_says(outcome.out, "door: nothing yet");
}

// Every ten seconds of it would do; the script's ten minutes are for who has them.
TEST(LiveProgram, needs_no_more_memory_after_a_while) {
    ::setenv("SACCADE_PROGRAM", places::program(), 1);
    Words words{places::tests() + std::string("/soak"), "10"};
    for (const std::string& word : small_live({"--detector", "none"}))
        if (word != "live") words.push_back(word);
    const Outcome outcome = run_program("/usr/bin/env", words);
    ::unsetenv("SACCADE_PROGRAM");
    EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
    expect_says(outcome.out, "device memory ");
}

TEST(LiveProgram, ends_cleanly_when_it_is_interrupted) {
    Program program(places::program(), small_live({"--headless", "--detector", "none"}));
    std::this_thread::sleep_for(2s);
    program.send(SIGINT);
    const Outcome outcome = program.wait();
    expect_done(outcome);
    expect_says(outcome.out, " frames in ");
}

TEST(LiveProgram, without_a_window_a_camera_that_is_not_there_is_the_end) {
    expect_refused(saccade_program(on_test_device({"live", "63", "--headless", "--detector", "none",
                                                   "--classifier", "none", "--captioner", "none"})),
                   1, "there is no camera 63");
}

TEST(LiveProgram, a_model_that_is_not_there_is_an_error_without_a_window) {
    expect_refused(saccade_program(small_live({"--headless", "--detector", "no-such-model"})), 1,
                   "no-such-model");
}

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
    // How many pixels of a part of the display are as they should be.
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
    // What is shown when nothing changes any more.
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
    // A key that changes what is shown.
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
                    small_live({"--detector", "none", "--threshold", "0", "--track"}));
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
                    on_test_device({"live", url, "--detector", "none", "--classifier", "none",
                                    "--captioner", "none"}));
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

// A single picture of the synthetic camera, which knows what is in it.
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
        on_test_device({"live", temp / "pictures", "--detector", "emoji-detector", "--classifier",
                        "emoji-classifier", "--captioner", "emoji-captioner"}));
    display.move_mouse(320, 510);  // in the window, but not in the picture

    // The picture is twice as large there, above the line that says what is going on.
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
    const Words words = on_test_device({"live", temp / "pictures", "--detector", "none",
                                        "--classifier", "none", "--captioner", "none"});
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
