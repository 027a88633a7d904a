#include "app/video/video_writer.h"

#include <opencv2/core.hpp>

#include "app/video/join.h"
#include "tests/app/video/videos.h"

namespace saccade {
namespace {

// Grey pictures, each a little lighter than the one before.
class VideoWriters : public ::testing::Test {
protected:
    static cv::Mat picture(Size size, int number) {
        return cv::Mat(static_cast<int>(size.y), static_cast<int>(size.x), CV_8UC3,
                       cv::Scalar::all(20 + 4 * number));
    }
    static PictureView view(const cv::Mat& mat) {
        return {mat.data, static_cast<uint32_t>(mat.cols), static_cast<uint32_t>(mat.rows),
                static_cast<uint32_t>(mat.step), true};
    }
    // Frames [first, end), at the clock's rate.
    std::filesystem::path write(const std::string& name, Size size, const VideoClock& clock,
                                int first, int end) {
        VideoWriter writer(temp / name, size, clock);
        for (int i = first; i < end; ++i) writer.write(view(picture(size, i)), i * clock.frame());
        writer.finish();
        return temp / name;
    }
    static std::vector<int> greys(const std::filesystem::path& path) {
        cv::VideoCapture video(path.string(), cv::CAP_FFMPEG);
        std::vector<int> greys;
        for (cv::Mat frame; video.read(frame);)
            greys.push_back((frame.at<cv::Vec3b>(frame.rows / 2, frame.cols / 2)[1] - 18) / 4);
        return greys;
    }

    TempFolder temp;
};

TEST_F(VideoWriters, fractional_rates_and_odd_sizes_are_kept_exactly) {
    const VideoClock clock(30000.0 / 1001);
    for (Size size : {Size{64, 48}, Size{63, 47}, Size{65, 48}}) {
        const auto probed = probe(write("clip.mp4", size, clock, 0, 20));
        const auto stream = stream_of(probed, "video");
        EXPECT_EQ(stream["width"], size.x);
        EXPECT_EQ(stream["height"], size.y);
        EXPECT_EQ(stream["avg_frame_rate"], "30000/1001");
        EXPECT_EQ(stream["r_frame_rate"], "30000/1001");
        EXPECT_EQ(stream["nb_read_frames"], "20");
        EXPECT_NEAR(std::stod(stream["duration"].get<std::string>()), 20 * 1001 / 30000.0, 1e-4);
    }
    EXPECT_EQ(greys(temp / "clip.mp4"), (std::vector<int>{0,  1,  2,  3,  4,  5,  6,  7,  8,  9,
                                                          10, 11, 12, 13, 14, 15, 16, 17, 18, 19}));
}

TEST_F(VideoWriters, the_same_pictures_make_the_same_file) {
    const VideoClock clock(25);
    const std::string once = file_content(write("a.mp4", {64, 48}, clock, 0, 30));
    EXPECT_EQ(once, file_content(write("b.mp4", {64, 48}, clock, 0, 30)));
    EXPECT_NE(once, file_content(write("c.mp4", {64, 48}, clock, 1, 31)));
}

TEST_F(VideoWriters, planes_make_the_video_that_their_pixels_make) {
    const VideoClock clock(25);
    for (Size size : {Size{64, 48}, Size{63, 47}}) {
        const PlaneLayout layout{size.x, size.y, chroma_for(size.x, size.y)};
        VideoWriter writer(temp / "planes.mp4", size, clock);
        for (int i = 0; i < 20; ++i) {
            // Grey levels of BT.601, as sws_scale makes them.
            const double level = 16 + 219 * (20 + 4 * i) / 255.0;
            std::vector<uint8_t> memory(layout.bytes(), 128);
            std::fill_n(memory.begin(), layout.planes()[0].row_bytes * size.y,
                        static_cast<uint8_t>(std::lround(level)));
            writer.write(PlanarView{memory.data(), layout});
        }
        writer.finish();
        EXPECT_TRUE(file_content(temp / "planes.mp4") ==
                    file_content(write("pixels.mp4", size, clock, 0, 20)));
    }
}

TEST_F(VideoWriters, what_is_not_finished_is_not_there) {
    {
        VideoWriter writer(temp / "clip.mp4", {64, 48}, VideoClock(25));
        writer.write(view(picture({64, 48}, 0)));
    }
    EXPECT_TRUE(std::filesystem::is_empty(temp.path()));
    expect_says(error_of([&] {
                    VideoWriter(temp / "no" / "clip.mp4", {64, 48}, VideoClock(25));
                }),
                "No such file or directory");
}

TEST_F(VideoWriters, a_full_disk_is_an_error) {
    std::filesystem::create_symlink("/dev/full",
                                    temp / ("clip.nut.saccade-part-" + std::to_string(::getpid())));
    expect_says(error_of([&] {
                    write("clip.nut", {64, 48}, VideoClock(25), 0, 40);
                }),
                "clip.nut' cannot be written: No space left on device");
}

TEST_F(VideoWriters, pieces_are_joined_without_a_seam) {
    const VideoClock clock(30000.0 / 1001);
    const std::vector<std::filesystem::path> pieces{write("0.nut", {64, 48}, clock, 0, 10),
                                                    write("1.nut", {64, 48}, clock, 10, 20),
                                                    write("2.nut", {64, 48}, clock, 20, 25)};
    EXPECT_EQ(join_video({pieces, clock, clock.frame()}, temp / "all.mp4", temp.path()), "");
    const auto probed = probe(temp / "all.mp4");
    const auto stream = stream_of(probed, "video");
    EXPECT_EQ(stream["avg_frame_rate"], "30000/1001");
    EXPECT_NEAR(std::stod(stream["duration"].get<std::string>()), 25 * 1001 / 30000.0, 1e-4);
    std::vector<int> want(25);
    for (int i = 0; i < 25; ++i) want[size_t(i)] = i;
    EXPECT_EQ(greys(temp / "all.mp4"), want);

    expect_says(
        error_of([&] {
            join_video({{pieces[0], write("x.nut", {32, 48}, clock, 10, 20)}, clock, clock.frame()},
                       temp / "bad.mp4", temp.path());
        }),
        "x.nut' cannot be joined");
    EXPECT_FALSE(std::filesystem::exists(temp / "bad.mp4"));
}

TEST_F(VideoWriters, a_video_that_begins_later_has_the_sound_of_that_time) {
    const std::string clip = with_sound(temp, make_clip(temp, "clip.mp4", 50), "sound.mp4");
    const VideoClock clock(25);
    EXPECT_EQ(join_video({{write("0.nut", {64, 48}, clock, 25, 45)}, clock, clock.frame(), clip},
                         temp / "later.mp4", temp.path()),
              "");
    const auto probed = probe(temp / "later.mp4");
    const auto sound = stream_of(probed, "audio");
    EXPECT_EQ(sound["codec_name"], "aac");
    EXPECT_NEAR(std::stod(sound["duration"].get<std::string>()), 0.8, 0.06);
    EXPECT_NEAR(std::stod(sound["start_time"].get<std::string>()), 0, 0.03);
    EXPECT_NEAR(frame_times(probed).front(), 0, 1e-6);
}

TEST(VideoClock, times_that_are_rounded_to_milliseconds_stay_in_their_places) {
    const VideoClock clock(30000.0 / 1001);
    for (int i = 0; i < 1000; ++i) {
        const double time = i * 1001 / 30000.0;
        EXPECT_EQ(clock.ticks(time), i * clock.frame());
        EXPECT_EQ(clock.ticks(std::round(time * 1000) / 1000), i * clock.frame());
    }
    EXPECT_EQ(clock.ticks(0.0125), std::llround(0.0125 * double(clock.second())));
    EXPECT_EQ(VideoClock(0).second(), 25 * VideoClock(0).frame());
    for (double rate : {0.01, 1.0, 23.976, 24000.0 / 1001, 29.97, 59.94, 1000.0, 17.3141592}) {
        const VideoClock any(rate);
        EXPECT_NEAR(double(any.second()) / double(any.frame()), rate, rate * 1e-6);
        EXPECT_LE(any.second(), 65535);
    }
}

}  // namespace
}  // namespace saccade
