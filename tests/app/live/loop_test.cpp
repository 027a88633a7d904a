// The live loop in this process, with the validation layers on.

#include "app/live/loop.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <set>
#include <thread>

#include "app/draw/annotate.h"
#include "app/io/picture_file.h"
#include "app/sources/open_source.h"
#include "tests/app/live/stepped_loop.h"
#include "tests/app/program.h"
#include "tests/app/sources/frames.h"
#include "tests/app/sources/network_camera.h"
#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

using namespace std::chrono_literals;

class LiveLoopTest : public SteppedLoop {
protected:
    LiveLoopTest() : SteppedLoop(impatient) {
        wishes.detector = "emoji-detector";
        wishes.classifier = wishes.captioner = "none";
        wishes.source = "synth:320x240@30?seed=3&objects=2";
    }
    bool found_something() const {
        const auto& detections = loop.shown()->result.detections;
        return detections && !detections->empty();
    }
    void open(const std::string& source) {
        wishes.source = source;
        events.add(OpenSource{});
    }
    // A folder, as fast as models can look at it.
    void watch_three_pictures() {
        wishes.captioner = "emoji-captioner";
        const auto source = open_source("synth:160x120@1?seed=5&objects=1");
        std::filesystem::create_directory(folder / "pictures");
        for (const char* name : {"a.png", "b.png", "c.png"})
            write_picture(folder / "pictures" / name, next_shot(*source)->pixels);
        wishes.source = (folder / "pictures").string();
        wishes.speed = 100;
        wait_for_models();
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
    wishes.source = "synth:320x240@30?seed=1&objects=2";  // its first seconds are easy
    wait_for_models();
    ASSERT_TRUE(step_frames(6));
    ASSERT_TRUE(loop.status().score);
    const Tally found = loop.status().score->objects();
    EXPECT_GE(found.right + found.missed, 3u);
    EXPECT_GE(found.recall(), 0.7);
    EXPECT_GE(found.precision(), 0.7);
    EXPECT_GE(loop.status().gpu_idle, 0);
    EXPECT_LT(loop.status().gpu_idle, 1) << "it has done something";

    wishes.look.filter.threshold = 1;
    ASSERT_TRUE(step_frames(4));
    EXPECT_LT(loop.status().score->objects().recall(), 0.7) << "another threshold, another account";
    wishes.look.filter.only = {"no such thing"};
    ASSERT_TRUE(step_frames(4));
    EXPECT_TRUE(loop.shown()->result.detections->empty()) << "not all of them";
    expect_says(error_of([&] { wait_for_models(); }), "no such thing");
}

TEST_F(LiveLoopTest, models_look_at_their_own_rates_and_what_they_found_stays_meanwhile) {
    wishes.classifier = "emoji-classifier";
    wishes.detector_stride = 3;
    std::set<uint64_t> scenes;  // each of which is looked at at once
    loop.on_shown([&] { scenes.insert(loop.shown()->result.info.scene); });
    wait_for_models();
    ASSERT_TRUE(step_frames(1));
    ASSERT_TRUE(step_until([&] { return found_something(); }));
    size_t frames = 0, detected = 0;
    for (uint64_t last = loop.status().frames; frames < 12; last = loop.status().frames) {
        ASSERT_TRUE(step_until([&] { return loop.status().frames > last; }));
        // Two may have been finished at a time.
        frames += loop.status().frames - last;
        detected += loop.shown()->detected;
        EXPECT_FALSE(loop.shown()->result.detections->empty());
        EXPECT_FALSE(loop.shown()->result.classes->empty());
    }
    EXPECT_GT(detected, 0u);
    EXPECT_LE(detected, 5 + scenes.size());
    for (const StageTimes::Stage& stage : loop.status().stages.stages) {
        if (stage.name == "detector") {
            EXPECT_LT(stage.ms.count(), loop.status().frames / 2 + scenes.size());
        }
        if (stage.name == "classifier") {
            EXPECT_GT(stage.ms.count(), loop.status().frames / 2);
        }
    }
    // Maps are of the last frame that the detector ran on.
    wishes.look.attention.mode = AttentionMode::mean;
    pointer.target.point = glm::vec2{80, 60};
    ASSERT_TRUE(step_frames(4));
}

TEST_F(LiveLoopTest, models_of_other_forms_take_each_others_place) {
    const TempFolder models;
    wishes.source = "synth:96x64@30";
    wishes.look.attention.mode = AttentionMode::grid;
    const std::string detectors[] = {model_folder(models, "yolos-nano"),
                                     model_folder(models, "yolos-mid")};
    const std::string classifiers[] = {model_folder(models, "vit-nano"),
                                       model_folder(models, "vit-odd")};
    for (int i : {0, 1, 0}) {
        SCOPED_TRACE(i);
        wishes.detector = detectors[i];
        wishes.classifier = classifiers[i];
        wait_for_models();
        wishes.look.filter.threshold = 0;
        ASSERT_TRUE(step_frames(7)) << "every slot has been in use";
        EXPECT_GT(loop.shown()->result.classes->size(), 0u);
        pointer.target.query = 3;
        ASSERT_TRUE(step_frames(2));
    }
}

TEST_F(LiveLoopTest, what_is_shown_keeps_its_names_until_the_next_models_have_seen_a_picture) {
    wishes.classifier = "emoji-classifier";
    wait_for_models();
    ASSERT_TRUE(step_frames(1));
    wishes.detector = wishes.classifier = "none";
    bool kept = false;
    ASSERT_TRUE(step_until([&] {
        const Status& status = loop.status();
        const std::string line = line_of(loop.shown()->result, *loop.shown()->labels);
        const bool has_classes = loop.shown()->result.classes.has_value();
        EXPECT_EQ(line.find("\"classes\"") != line.npos, has_classes);
        kept = kept || (has_classes && status.classifier.name.empty());
        return !has_classes && status.classifier.name.empty();
    }));
    EXPECT_TRUE(kept) << "a page may ask for the old picture then";
}

// The other detector has more queries and more classes.
TEST_F(LiveLoopTest, a_frozen_picture_with_tracks_is_looked_at_anew_by_another_detector) {
    wishes.detector = "photo-detector";
    wishes.look.filter.threshold = 0;
    wishes.look.track = wishes.look.overview = true;
    wishes.look.attention.mode = AttentionMode::cause;
    wishes.cause_budget_ms = 0;
    wait_for_models();
    ASSERT_TRUE(step_until([&] { return loop.shown() && !loop.shown()->result.tracks.empty(); }));
    wishes.frozen = true;
    wishes.detector = "emoji-detector";
    const auto is_seen = [&] {
        return loop.status().detector.name == wishes.detector && loop.shown()->repeated &&
               loop.shown()->result.detections && loop.idle();
    };
    ASSERT_TRUE(step_until(is_seen));
    const size_t classes = loop.shown()->labels->detector.size();
    ASSERT_LT(classes, 80u);
    ASSERT_TRUE(found_something());
    for (const Detection& one : *loop.shown()->result.detections) {
        EXPECT_LT(one.id, classes);
        EXPECT_LT(one.query, 16u);
    }
    EXPECT_TRUE(loop.shown()->result.tracks.empty()) << "numbers begin with the next frame";
    wishes.frozen = false;
    ASSERT_TRUE(step_until([&] { return !loop.shown()->result.tracks.empty(); }));
}

TEST_F(LiveLoopTest, the_picture_goes_on_while_a_model_is_loaded_and_then_it_is_used) {
    ASSERT_TRUE(step_frames(1)) << "no model is there yet";
    ASSERT_TRUE(step_until([&] { return loop.status().detector.name == wishes.detector; }));
    EXPECT_EQ(loop.status().detector.progress, 1) << "all of it was loaded";
    ASSERT_TRUE(step_until([&] { return found_something(); }));
    const uint64_t before = loop.status().frames;
    wishes.detector = "no-such-model";
    ASSERT_TRUE(step_until([&] { return !loop.status().detector.error.empty(); }));
    EXPECT_NE(loop.status().detector.error.find("no-such-model"), std::string::npos);
    ASSERT_TRUE(step_frames(2));
    EXPECT_EQ(loop.status().detector.name, "emoji-detector") << "the old one works on";
    EXPECT_GT(loop.status().frames, before);
    wishes.detector = "none";
    ASSERT_TRUE(step_until([&] { return loop.status().detector.name.empty(); }));
    ASSERT_TRUE(step_frames(3));
    EXPECT_FALSE(loop.shown()->result.detections) << "no detector has run";
}

TEST_F(LiveLoopTest, a_model_that_was_not_chosen_goes_with_the_source) {
    wishes.detector.clear();
    wait_for_models();
    ASSERT_TRUE(step_frames(1));
    EXPECT_EQ(loop.status().detector.name, "emoji-detector");
    wishes.source = golden_picture();
    ASSERT_TRUE(step_until([&] { return loop.status().detector.name == "photo-detector"; }));
    ASSERT_TRUE(step_until([&] { return found_something(); }));
    const Detection& found = loop.shown()->result.detections->front();
    EXPECT_EQ(loop.status().labels.at(found.id), "cat");
}

TEST_F(LiveLoopTest, a_slow_device_gets_one_frame_at_a_time_and_a_fast_one_two) {
    EXPECT_EQ(LiveLoop::most_in_flight(5), 2u);
    EXPECT_EQ(LiveLoop::most_in_flight(1000), 1u);
    wishes.detector = "photo-detector";  // some 300 ms on software Vulkan, with the classifier
    wishes.classifier = "photo-classifier";
    wait_for_models();
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
    wait_for_models();
    ASSERT_TRUE(step_frames(2));
    const uint64_t seen = loop.shown()->result.info.index;
    wishes.frozen = true;
    ASSERT_TRUE(step_until([&] { return loop.has_room(); }));
    wishes.recording = true;
    wishes.look.boxes = wishes.look.classes = wishes.look.caption = false;
    size_t drawn = 0;
    auto settled = [&] {
        for (int quiet = 0; quiet < 5; ++quiet) {
            do {
                if (step()) {
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
    const uint64_t frames = loop.status().frames;
    drawn = 0;
    EXPECT_EQ(differing(settled(), plain), 0u);
    EXPECT_EQ(drawn, 0u) << "nothing is drawn that has not changed";

    wishes.look.boxes = true;
    EXPECT_GT(differing(settled(), plain), 50u) << "boxes are drawn onto the same picture";
    wishes.look.boxes = false;
    for (AttentionMode mode : attention_modes) {
        // Maps of cause are not of what is pointed at alone: explaining_test.
        if (mode == AttentionMode::off || mode == AttentionMode::cause) continue;
        SCOPED_TRACE(name_of(mode));
        wishes.look.attention.mode = mode;
        wishes.look.attention.layer = 5;
        pointer.target.point = glm::vec2{80, 60};
        const std::vector<uint8_t> here = settled();
        EXPECT_GT(differing(here, plain), 200u);
        pointer.target.point = glm::vec2{240, 180};
        if (mode != AttentionMode::colours) {  // the same for every point
            EXPECT_GT(differing(settled(), here), 10u) << "another patch looks elsewhere";
        }
        pointer.target.query = loop.shown()->result.detections->front().query;
        EXPECT_GT(differing(settled(), here), 10u) << "and so does a detection";
        EXPECT_EQ(answers(), found) << "looking changes no answer";
        pointer.target.query.reset();
    }
    wishes.look.attention.mode = AttentionMode::off;
    wishes.look.truth = true;
    EXPECT_GT(differing(settled(), plain), 50u);
    wishes.look.truth = false;
    EXPECT_EQ(differing(settled(), plain), 0u);
    EXPECT_EQ(loop.shown()->result.info.index, index);
    EXPECT_EQ(loop.status().frames, frames) << "it is still the same one";
}

TEST_F(LiveLoopTest, things_have_numbers_and_lines_count_them) {
    wishes.look.track = true;
    wishes.regions = {
        .size = std::nullopt,
        .all = {{"all", true, {{0, 0}, {320, 0}, {320, 240}, {0, 240}}, Anchor::middle}}};
    wait_for_models();
    ASSERT_TRUE(step_until([&] {
        return loop.status().tracks && loop.status().tracks->seen > 0 && loop.shown() &&
               !loop.shown()->result.tracks.empty() && loop.shown()->result.tracks[0] > 0;
    }));
    const FrameResult& shown = loop.shown()->result;
    EXPECT_EQ(shown.tracks.size(), shown.detections->size());
    ASSERT_EQ(loop.status().tracks->counts.size(), 1u);
    EXPECT_FALSE(loop.status().tracks->counts[0].classes.empty()) << "all of it is the zone";

    // A frozen picture keeps its numbers, however often it is drawn.
    wishes.frozen = true;
    ASSERT_TRUE(step_until([&] { return loop.idle(); }));
    const std::vector<uint32_t> numbers = loop.shown()->result.tracks;
    pointer.target.query = (*loop.shown()->result.detections)[0].query;
    ASSERT_TRUE(step_until([&] { return loop.idle() && loop.shown()->repeated; }));
    EXPECT_EQ(loop.shown()->result.tracks, numbers);

    wishes.frozen = wishes.look.track = false;
    wishes.regions = {};
    ASSERT_TRUE(
        step_until([&] { return !loop.status().tracks && loop.shown()->result.tracks.empty(); }));
}

TEST_F(LiveLoopTest, a_track_that_is_clicked_is_followed_and_so_is_its_attention) {
    wishes.look.track = true;
    wishes.look.attention.mode = AttentionMode::mean;
    wait_for_models();
    using Followed = TrackStatus::Followed;
    std::set<uint64_t> frames;  // in which it was
    for (int clicks = 0; clicks < 10 && frames.size() < 2; ++clicks) {
        ASSERT_TRUE(step_until([&] {
            return loop.shown() && !loop.shown()->result.tracks.empty() &&
                   loop.shown()->result.tracks[0] > 0;
        }));
        const uint32_t number = loop.shown()->result.tracks[0];
        pointer.target.query = (*loop.shown()->result.detections)[0].query;
        ASSERT_TRUE(step_until([&] { return loop.status().tracks->followed == number; }));
        ASSERT_TRUE(step_frames(3));  // frames in flight were recorded before the click
        // The camera goes on meanwhile, and its scene may be over.
        while (loop.status().tracks->state != Followed::gone && frames.size() < 2) {
            const FrameResult& shown = loop.shown()->result;
            const auto place = std::ranges::find(shown.tracks, number);
            const std::optional<AttentionSeen>& seen = loop.shown()->attention;
            EXPECT_EQ(seen.has_value(), place != shown.tracks.end()) << "a lost track has no maps";
            if (seen && place != shown.tracks.end()) {
                const auto index = static_cast<size_t>(place - shown.tracks.begin());
                EXPECT_EQ(seen->looker.query, (*shown.detections)[index].query);
                frames.insert(shown.info.index);
            }
            ASSERT_TRUE(step_frames(1));
        }
        pointer.target.query.reset();
        ASSERT_TRUE(step_until([&] { return loop.status().tracks->followed == 0; }));
    }
    EXPECT_EQ(frames.size(), 2u);
}

TEST_F(LiveLoopTest, viewers_elsewhere_get_planes_and_maps_of_their_own) {
    wishes.classifier = "emoji-classifier";
    wait_for_models();
    ASSERT_TRUE(step_until([&] { return loop.shown() && found_something(); }));
    EXPECT_FALSE(loop.shown()->planes.memory);
    wishes.remote.planes = true;
    RemoteLook left{.viewer = 1, .attention = {.mode = AttentionMode::mean}};
    left.target.point = glm::vec2(20, 20);
    RemoteLook right = left;
    right.viewer = 2;
    right.target.point = glm::vec2(300, 220);
    const RemoteLook whole{
        .viewer = 3, .attention = {.mode = AttentionMode::rollout}, .model = MapModel::classifier};
    wishes.remote.looks = {left, right, whole};
    ASSERT_TRUE(step_until([&] { return loop.shown()->maps.size() == 3; }));
    EXPECT_TRUE(loop.shown()->planes.memory);
    const std::vector<MapOnHost> maps = loop.shown()->maps;
    EXPECT_EQ(maps[1].whose, 2u);
    EXPECT_NE(maps[0].cells, maps[1].cells);
    EXPECT_EQ(maps[2].looker.token, Looker::Token::class_token);

    // A frozen picture is drawn again when a viewer points elsewhere.
    wishes.frozen = true;
    ASSERT_TRUE(step_until([&] { return loop.idle(); }));
    ASSERT_TRUE(found_something());
    const uint64_t frame = loop.shown()->result.info.index;
    wishes.remote.looks = {left};
    wishes.remote.looks[0].target.query = loop.shown()->result.detections->front().query;
    ASSERT_TRUE(step_until([&] {
        return loop.shown() && loop.shown()->maps.size() == 1 &&
               loop.shown()->maps[0].looker.token == Looker::Token::query;
    }));
    EXPECT_EQ(loop.shown()->result.info.index, frame);
    wishes.remote.looks.clear();
    wishes.remote.planes = wishes.frozen = false;
    ASSERT_TRUE(step_until([&] { return loop.shown()->maps.empty(); }));
}

TEST_F(LiveLoopTest, another_source_takes_the_place_of_one_that_cannot_be_opened) {
    wishes.detector = "none";
    wishes.source = "/nowhere/clip.mp4";
    step();
    EXPECT_NE(loop.status().source_state.find("/nowhere/clip.mp4"), std::string::npos);
    EXPECT_FALSE(loop.shown());
    wishes.detector = "emoji-detector";  // which is being loaded meanwhile
    step();
    loop.rest();
    wishes.detector = "none";
    wishes.source = "synth:160x120?frames=4";
    ASSERT_TRUE(step_frames(1));
    EXPECT_EQ(loop.shown()->result.info.size.x, 160u);
    wishes.source = "synth:96x80?frames=4";
    ASSERT_TRUE(step_frames(1));
    EXPECT_EQ(loop.shown()->result.info.size.x, 96u);
    ASSERT_TRUE(step_until([&] { return loop.over(); }));
}

TEST_F(LiveLoopTest, a_source_that_is_chosen_again_is_opened_anew) {
    wishes.detector = "none";
    open(folder / "late.png");
    step();
    expect_says(loop.status().source_state, "late.png");
    write_picture(folder / "late.png", cv::Mat(60, 80, CV_8UC3, cv::Scalar(1, 2, 3)));
    step();
    EXPECT_FALSE(loop.shown()) << "it was not opened again";
    open(folder / "late.png");
    ASSERT_TRUE(step_frames(1));
    EXPECT_EQ(loop.shown()->result.info.size.x, 80u);
    EXPECT_EQ(loop.status().source_state, "");
    open(folder / "late.png");
    step();
    EXPECT_FALSE(loop.shown()) << "it starts over";
    ASSERT_TRUE(step_frames(1));
}

TEST_F(LiveLoopTest, what_is_frozen_before_there_is_a_picture_shows_the_first) {
    wishes.detector = "none";
    wishes.frozen = true;
    for (const char* source : {"synth:160x120@4", "synth:96x80@4"}) {
        wishes.source = source;
        step();
        EXPECT_FALSE(loop.shown());
        ASSERT_TRUE(step_until([&] { return loop.shown().has_value(); })) << source;
        EXPECT_LE(loop.shown()->result.info.index, 2u);
    }
    const uint64_t frames = loop.status().frames;
    for (int i = 0; i < 150; ++i)
        if (!step()) loop.rest();
    EXPECT_LE(loop.status().frames, frames + 1) << "and then it stands still";
}

TEST_F(LiveLoopTest, a_recording_that_cannot_be_written_ends_and_is_told_once) {
    wishes.detector = "none";
    wishes.source = "synth:160x120@10";
    ASSERT_TRUE(step_frames(1));
    std::filesystem::remove_all(folder.path());
    wishes.recording = true;
    ASSERT_TRUE(step_until([&] { return loop.status().recording_failed; }));
    expect_says(loop.status().notice, "cannot be written");
    wishes.recording = false;  // as the window does
    step();
    EXPECT_FALSE(loop.status().recording_failed);
}

TEST_F(LiveLoopTest, a_stream_that_is_not_there_stalls_or_drops_is_told_and_comes_back) {
    const std::string url = "tcp://127.0.0.1:" + std::to_string(free_port());
    NetworkCamera camera(make_clip(folder, "clip.mp4", 25), {"-c", "copy", "-f", "mpegts"},
                         url + "?listen=1");
    wishes.detector = "none";
    wishes.source = url;
    auto told = [&](const char* what) {
        return step_until(
            [&] { return loop.status().source_state.find(what) != std::string::npos; });
    };
    EXPECT_TRUE(told("cannot be opened"));
    EXPECT_FALSE(loop.shown());
    camera.start();
    ASSERT_TRUE(step_frames(3));
    EXPECT_EQ(loop.status().source_state, "");

    wishes.frozen = true;
    step();
    const uint64_t dropped = loop.status().dropped;
    std::this_thread::sleep_for(400ms);  // frames continue unseen
    wishes.frozen = false;
    step();
    EXPECT_LE(loop.status().dropped, dropped + 1)
        << "frames behind a frozen picture are not missing";

    camera.freeze();
    ASSERT_TRUE(told("has stalled"));
    EXPECT_TRUE(loop.shown()) << "the last picture stays";
    const uint64_t last = loop.shown()->result.info.index;
    camera.cut();
    camera.start();
    ASSERT_TRUE(step_frames(3));
    EXPECT_GT(loop.shown()->result.info.index, last) << "the count goes on";
    EXPECT_EQ(loop.status().source_state, "");
    camera.cut();
    ASSERT_TRUE(told(url.c_str()));
}

TEST_F(LiveLoopTest, screenshots_and_recordings_are_of_what_is_seen) {
    wishes.detector = "none";
    wishes.source = "synth:160x120@10";
    ASSERT_TRUE(step_frames(1));
    events.add(SaveFrame{});
    wishes.recording = true;
    ASSERT_TRUE(step_frames(6));
    wishes.recording = false;
    ASSERT_TRUE(step_until([&] { return loop.status().notice.ends_with(".mp4"); }));
    size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
        files += entry.path().extension() == ".png" || entry.path().extension() == ".mp4";
    EXPECT_EQ(files, 2u);
}

TEST_F(LiveLoopTest, pictures_of_a_folder_wait_until_everything_is_known_of_them) {
    watch_three_pictures();
    std::vector<uint64_t> shown;
    bool complete = true;
    ASSERT_TRUE(step_until([&] {
        if (!loop.shown()) return false;
        const uint64_t index = loop.shown()->result.info.index;
        if (shown.empty() || index != shown.back()) {
            EXPECT_TRUE(complete) << "of the picture before " << index;
            shown.push_back(index);
            complete = false;
        }
        complete = complete || loop.status().complete;
        EXPECT_TRUE(loop.captions().caption().words.empty() ||
                    loop.captions().frame().index == index);
        EXPECT_TRUE(loop.status().stands);
        return loop.over();
    }));
    EXPECT_TRUE(complete) << "the last one, too";
    EXPECT_EQ(shown, (std::vector<uint64_t>{0, 1, 2}));
}

TEST_F(LiveLoopTest, a_frozen_picture_gets_its_own_caption_though_the_next_one_was_on_its_way) {
    watch_three_pictures();
    ASSERT_TRUE(step_until([&] { return loop.status().complete; }));
    ASSERT_TRUE(step_until([&] { return !loop.idle(); }));
    wishes.frozen = true;
    ASSERT_TRUE(step_until([&] { return loop.idle() && loop.status().complete; }));
    EXPECT_EQ(loop.captions().frame().index, loop.shown()->result.info.index);
    ASSERT_TRUE(loop.shown()->result.caption);
    EXPECT_FALSE(loop.shown()->result.caption->words.empty());
}

TEST_F(LiveLoopTest, three_steps_are_three_frames_however_quickly_they_follow) {
    wishes.detector = "none";
    wishes.source = "synth:160x120@10?frames=100";
    ASSERT_TRUE(step_frames(2));
    wishes.frozen = true;
    ASSERT_TRUE(step_until([&] { return loop.idle(); }));
    const uint64_t first = loop.shown()->result.info.index;
    for (int i = 0; i < 3; ++i) {
        events.add(Seek{.by = 1});
        step();
    }
    ASSERT_TRUE(step_until([&] { return loop.shown()->result.info.index == first + 3; }));
    events.add(Seek{.by = -1});
    events.add(Seek{.by = -1});
    ASSERT_TRUE(step_until([&] { return loop.shown()->result.info.index == first + 1; }));
    events.add(Seek{0});
    ASSERT_TRUE(step_until([&] { return loop.shown()->result.info.index == 0; }));
    ASSERT_TRUE(step_until([&] { return loop.idle(); }));
    const uint64_t scene = loop.shown()->result.info.scene;
    events.add(Seek{.by = -1});
    for (int i = 0; i < 5; ++i) step();
    EXPECT_TRUE(loop.idle()) << "there is none before";
    EXPECT_EQ(loop.shown()->result.info.scene, scene);
}

TEST_F(LiveLoopTest, a_frame_that_was_sought_is_shown_before_models_look_at_it) {
    wait_for_models();
    ASSERT_TRUE(step_until([&] { return loop.shown() && found_something(); }));
    loop.show_sought_after(0);
    wishes.frozen = true;
    wishes.look.track = true;
    RemoteLook look{.viewer = 1, .attention = {.mode = AttentionMode::mean}};
    look.target.point = glm::vec2(80, 60);
    wishes.remote.looks = {look};
    ASSERT_TRUE(step_until([&] { return loop.idle(); }));
    std::vector<bool> awaits;
    loop.on_shown([&] {
        const Done& shown = *loop.shown();
        if (shown.result.info.index != 3) return;
        awaits.push_back(shown.awaits_models);
        EXPECT_EQ(shown.result.detections.has_value(), !shown.awaits_models);
        EXPECT_EQ(shown.maps.empty(), shown.awaits_models) << "also for those who look from afar";
    });
    events.add(Seek{3});
    ASSERT_TRUE(step_until([&] { return awaits.size() >= 2; }));
    EXPECT_TRUE(awaits[0]);
    EXPECT_FALSE(awaits[1]);
    EXPECT_TRUE(found_something());
    loop.on_shown({});
}

TEST_F(LiveLoopTest, a_caption_is_written_while_frames_go_on) {
    wishes.captioner = "emoji-captioner";
    wishes.detector = "none";
    wait_for_models();
    ASSERT_TRUE(step_until([&] { return !loop.captions().caption().words.empty(); }));
    ASSERT_TRUE(step_until([&] { return !loop.captions().writing(); }));
    EXPECT_NE(loop.captions().caption().text, "");
    ASSERT_TRUE(loop.status().score);
    EXPECT_EQ(loop.status().score->captions(), 1u);
    // The attention of the first word.
    wishes.look.attention.mode = AttentionMode::mean;
    pointer.target.word = 0;
    ASSERT_TRUE(step_frames(3));
}

}  // namespace
}  // namespace saccade
