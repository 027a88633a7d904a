#include "app/sources/capture.h"

#include <opencv2/imgcodecs.hpp>

#include "tests/app/sources/clips.h"
#include "tests/app/sources/frames.h"
#include "tests/app/sources/network_camera.h"
#include "tests/app/variable.h"

namespace saccade {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

template <typename F>
bool comes_true(F condition, std::chrono::milliseconds within = 20s) {
    const auto end = Clock::now() + within;
    while (Clock::now() < end) {
        if (condition()) return true;
        std::this_thread::sleep_for(5ms);
    }
    return condition();
}

class Captures : public ::testing::Test {
protected:
    // Whether frames arrive.
    static bool plays(Capture& capture) {
        while (capture.take()) {
        }  // old frames
        return capture.wait_for(20s) && capture.status().state == CaptureState::playing;
    }
    static bool gets_lost(Capture& capture) {
        return comes_true([&] { return capture.status().state == CaptureState::lost; });
    }
    static double seconds_to_stop(Capture& capture) {
        const auto begin = Clock::now();
        capture.stop();
        return std::chrono::duration<double>(Clock::now() - begin).count();
    }

    TempFolder temp;
    PlainRing memory;
};

TEST_F(Captures, the_newest_frame_wins_and_drops_are_counted) {
    Capture capture("synth:64x48@200", memory.ring);
    ASSERT_TRUE(capture.wait_for(20s));
    uint64_t taken = 0, last = 0;
    for (int i = 0; i < 5; ++i) {
        std::this_thread::sleep_for(400ms);
        const uint64_t captured = capture.status().frames;
        const std::optional<TakenFrame> frame = capture.take();
        ASSERT_TRUE(frame);
        if (i > 0) {
            EXPECT_GT(frame->info().index, last + 2);
        }
        last = frame->info().index;
        ++taken;
        EXPECT_GE(frame->info().index + 1, captured) << "no frame is newer";
    }
    capture.stop();
    const CaptureStatus status = capture.status();
    while (capture.take()) ++taken;
    EXPECT_GE(status.dropped, status.frames - taken);
    EXPECT_GE(status.dropped, 20u);
    EXPECT_EQ(status.traits.rate, 200);
}

TEST_F(Captures, a_picture_is_delivered_once_and_stays) {
    cv::imwrite(temp / "one.png", cv::Mat(12, 16, CV_8UC3, cv::Scalar(1, 2, 3)));
    Capture capture(temp / "one.png", memory.ring, {.loop = true});
    ASSERT_TRUE(capture.wait_for(20s));
    EXPECT_TRUE(capture.take());
    std::this_thread::sleep_for(300ms);
    EXPECT_FALSE(capture.take());
    EXPECT_EQ(capture.status().frames, 1u);
    EXPECT_EQ(capture.status().dropped, 0u);
    EXPECT_EQ(capture.status().state, CaptureState::playing);
    EXPECT_LT(seconds_to_stop(capture), 5);
}

TEST_F(Captures, while_it_is_paused_a_file_gives_only_the_frames_that_are_asked_for) {
    Capture capture("synth:64x48@100?frames=1000", memory.ring);
    ASSERT_TRUE(capture.wait_for(20s));
    capture.play_as({.paused = true});
    std::this_thread::sleep_for(200ms);
    while (capture.take()) {
    }
    std::this_thread::sleep_for(200ms);
    EXPECT_FALSE(capture.take());
    const uint64_t dropped = capture.status().dropped;
    for (uint64_t wanted : {700u, 701u, 3u}) {
        capture.seek(wanted);
        std::optional<TakenFrame> frame;
        ASSERT_TRUE(comes_true([&] { return (frame = capture.take()).has_value(); })) << wanted;
        EXPECT_EQ(frame->info().index, wanted);
    }
    std::this_thread::sleep_for(200ms);
    EXPECT_FALSE(capture.take());
    EXPECT_EQ(capture.status().dropped, dropped);
    capture.play_as({});
    EXPECT_TRUE(plays(capture)) << "and goes on from there";
    EXPECT_LT(capture.take()->info().index, 600u);
}

TEST_F(Captures, a_file_is_played_at_the_speed_that_is_asked_for) {
    auto seconds_for = [&](double speed) {
        PlainRing own;
        Capture capture("synth:64x48@20?frames=1000", own.ring);
        capture.play_as({.speed = speed});
        std::optional<TakenFrame> frame;
        comes_true([&] { return (frame = capture.take()).has_value(); });
        const uint64_t first = frame->info().index;
        const auto start = Clock::now();
        comes_true([&] {
            std::optional<TakenFrame> next = capture.take();
            return next && next->info().index >= first + 20;
        });
        return std::chrono::duration<double>(Clock::now() - start).count();
    };
    EXPECT_NEAR(seconds_for(1), 1.0, 0.3);
    EXPECT_NEAR(seconds_for(4), 0.25, 0.2);
}

TEST_F(Captures, a_file_at_its_end_waits_for_who_wants_another_frame_of_it) {
    Capture capture("synth:64x48@100?frames=20", memory.ring, {.stays = true});
    ASSERT_TRUE(comes_true([&] { return capture.status().state == CaptureState::ended; }));
    while (capture.take()) {
    }
    capture.seek(5);
    std::optional<TakenFrame> frame;
    ASSERT_TRUE(comes_true([&] { return (frame = capture.take()).has_value(); }));
    EXPECT_EQ(frame->info().index, 5u);
    EXPECT_TRUE(comes_true([&] { return capture.status().state == CaptureState::ended; }));
    while (capture.take()) {
    }
    capture.play_as({.paused = true});
    capture.play_as({});
    EXPECT_TRUE(comes_true([&] { return capture.take().has_value(); })) << "from its beginning";
    EXPECT_TRUE(comes_true([&] { return capture.status().state == CaptureState::ended; }));
}

TEST_F(Captures, a_frame_that_was_taken_is_left_alone) {
    PlainRing memory(4);  // two are taken, one waits, one is filled
    Capture capture("synth:64x48@200", memory.ring);
    ASSERT_TRUE(capture.wait_for(20s));
    std::optional<TakenFrame> first = capture.take();
    ASSERT_TRUE(first);
    const cv::Mat before = memory.slots[first->slot()].clone();
    std::optional<TakenFrame> second;
    for (int i = 0; i < 20; ++i) {
        ASSERT_TRUE(capture.wait_for(20s));
        second = capture.take();  // which returns the one before
        ASSERT_TRUE(second);
        EXPECT_NE(second->slot(), first->slot());
    }
    EXPECT_TRUE(equal(memory.slots[first->slot()], before));
    capture.stop();
}

TEST_F(Captures, a_file_is_played_at_its_own_pace_to_its_end) {
    const std::string clip = make_clip(temp, "clip.mp4", 20);
    const auto begin = Clock::now();
    Capture capture(clip, memory.ring);
    EXPECT_TRUE(comes_true([&] { return capture.status().state == CaptureState::ended; }));
    EXPECT_GT(Clock::now() - begin, 700ms);  // the last frame is due after 0.76 s
    EXPECT_EQ(capture.status().reason, "");
    EXPECT_LE(capture.status().frames, 20u);
    const std::optional<TakenFrame> last = capture.take();
    ASSERT_TRUE(last);
    EXPECT_GE(last->info().index, 15u);
}

TEST_F(Captures, a_file_begins_again_where_it_is_to_loop) {
    Capture capture(make_clip(temp, "clip.mp4", 5), memory.ring, {.loop = true});
    int begun = 0;
    uint64_t last = 100;
    EXPECT_TRUE(comes_true([&] {
        const std::optional<TakenFrame> frame = capture.take();
        if (!frame) return false;
        begun += frame->info().index < last;
        last = frame->info().index;
        return begun >= 3;
    }));
    EXPECT_LT(seconds_to_stop(capture), 5);
}

TEST_F(Captures, a_file_that_breaks_ends_with_a_reason) {
    const std::string content = file_content(make_clip(temp, "clip.mp4", 20));
    Capture capture(temp.write("cut.mp4", content.substr(0, content.size() * 7 / 10)), memory.ring);
    EXPECT_TRUE(comes_true([&] { return capture.status().state == CaptureState::ended; }));
    expect_says(capture.status().reason, "cut short");
    expect_says(error_of([&] { Capture(temp / "nosuch.mp4", memory.ring); }),
                "there is no file or folder");
}

TEST_F(Captures, a_file_that_is_deleted_while_it_is_played_is_told_at_its_end) {
    const std::string file = make_clip(temp, "clip.mp4", 5);
    Capture capture(file, memory.ring, {.loop = true});
    ASSERT_TRUE(capture.wait_for(20s));
    std::filesystem::remove(file);
    EXPECT_TRUE(comes_true([&] { return capture.status().state == CaptureState::ended; }));
    expect_says(capture.status().reason, "clip.mp4' is gone");
}

TEST_F(Captures, a_folder_in_which_nothing_can_be_read_ends_with_a_reason) {
    temp.write("one.png", "no picture");
    temp.write("two.png", "nor this");
    Capture capture(temp.path(), memory.ring, {.loop = true});
    EXPECT_TRUE(comes_true([&] { return capture.status().state == CaptureState::ended; }));
    expect_says(capture.status().reason, "can be read as a picture");
}

TEST_F(Captures, a_missing_camera_is_a_state_and_stopping_does_not_wait_for_it) {
    Capture capture("63", memory.ring, {.first_retry = 60s});
    EXPECT_TRUE(gets_lost(capture));
    expect_says(capture.status().reason, "there is no camera 63");
    EXPECT_FALSE(capture.take());
    EXPECT_LT(seconds_to_stop(capture), 5);

    const std::string device = "/dev/video-of-nobody";
    Capture by_path(device, memory.ring, {.first_retry = 60s});
    EXPECT_TRUE(gets_lost(by_path));
    expect_says(by_path.status().reason, "there is no camera '" + device + "'");
}

TEST_F(Captures, a_screen_that_cannot_be_had_is_not_asked_for_again) {
    const Variable x11("DISPLAY", nullptr), wayland("WAYLAND_DISPLAY", nullptr);
    Capture capture("screen:", memory.ring);
    EXPECT_TRUE(comes_true([&] { return capture.status().state == CaptureState::ended; }));
    expect_says(capture.status().reason, "DISPLAY");
}

TEST_F(Captures, what_is_no_camera_is_a_state) {
    Capture capture("/dev/null", memory.ring, {.first_retry = 60s});
    EXPECT_TRUE(gets_lost(capture));
    expect_says(capture.status().reason, "cannot be opened");
}

TEST_F(Captures, a_network_camera_that_is_cut_comes_back) {
    const std::string url = "http://127.0.0.1:" + std::to_string(free_port());
    NetworkCamera camera(make_clip(temp, "clip.mp4", 25),
                         {"-c:v", "mjpeg", "-f", "mpjpeg", "-listen", "1"}, url);
    Capture capture(url, memory.ring, impatient);
    EXPECT_TRUE(gets_lost(capture));  // it has not been switched on
    expect_says(capture.status().reason, "the stream '" + url + "' cannot be opened");

    uint64_t index = 0;
    double time = -1;
    for (int round = 0; round < 2; ++round) {
        camera.start();
        ASSERT_TRUE(plays(capture)) << capture.status().reason;
        const std::optional<TakenFrame> frame = capture.take();
        ASSERT_TRUE(frame);
        EXPECT_EQ(frame->info().size, (Size{96, 64}));
        EXPECT_GT(cv::mean(memory.slots[frame->slot()])[0], 10);
        if (round > 0) {
            EXPECT_GT(frame->info().index, index);
        }
        EXPECT_GT(frame->info().time, time);
        index = frame->info().index;
        time = frame->info().time;
        camera.cut();
        ASSERT_TRUE(gets_lost(capture));
        expect_says(capture.status().reason, url);
    }
    EXPECT_LT(seconds_to_stop(capture), 5);
}

TEST_F(Captures, a_stream_that_stalls_is_lost_and_stopping_does_not_hang) {
    const std::string url = "tcp://127.0.0.1:" + std::to_string(free_port());
    NetworkCamera camera(make_clip(temp, "clip.mp4", 25), {"-c", "copy", "-f", "mpegts"},
                         url + "?listen=1");
    camera.start();
    Capture capture(url, memory.ring, impatient);
    ASSERT_TRUE(plays(capture)) << capture.status().reason;
    camera.freeze();
    ASSERT_TRUE(gets_lost(capture));
    expect_says(capture.status().reason, "has stalled");
    EXPECT_LT(seconds_to_stop(capture),
              6);  // it is connecting to a server that does not respond

    camera.start();
    Capture again(url, memory.ring, impatient);
    ASSERT_TRUE(plays(again));
    camera.freeze();
    std::this_thread::sleep_for(100ms);
    EXPECT_LT(seconds_to_stop(again), 5);  // it is waiting for a frame
}

}  // namespace
}  // namespace saccade
