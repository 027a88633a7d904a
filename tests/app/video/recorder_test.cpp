#include "app/video/recorder.h"

#include <gtest/gtest.h>

#include <chrono>
#include <opencv2/imgcodecs.hpp>
#include <set>

#include "tests/app/video/videos.h"

namespace saccade {
namespace {

// A picture of one grey, with a white row on top.
struct Grey {
    Grey(uint32_t w, uint32_t h, uint8_t level) : width(w), height(h), pixels(3 * w * h, level) {
        std::fill_n(pixels.begin(), 3 * w, 255);
    }
    PictureView view() const { return {pixels.data(), width, height, 3 * width, true}; }
    uint32_t width, height;
    std::vector<uint8_t> pixels;
};

std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder) {
    std::set<std::filesystem::path> sorted;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) sorted.insert(entry);
    return {sorted.begin(), sorted.end()};
}

std::string wait_for_news(Recorder& recorder) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (std::chrono::steady_clock::now() < end) {
        if (auto news = recorder.news()) return *news;
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return "nothing";
}

// The grey levels of a video, one a frame.
std::vector<int> levels_of(const std::filesystem::path& file) {
    cv::VideoCapture video(file.string(), cv::CAP_FFMPEG);
    std::vector<int> levels;
    for (cv::Mat frame; video.read(frame);)
        levels.push_back(frame.at<cv::Vec3b>(frame.rows / 2, frame.cols / 2)[1]);
    return levels;
}

TEST(Recorder, a_screenshot_is_the_picture_to_the_bit) {
    const TempFolder temp;
    const Grey picture(37, 21, 90);
    {
        Recorder recorder(temp.path());
        recorder.screenshot(picture.view());
        recorder.screenshot(picture.view());
    }
    const auto files = files_in(temp.path());
    ASSERT_EQ(files.size(), 2u) << "taken within the same second, perhaps";
    for (const auto& file : files) {
        EXPECT_EQ(file.extension(), ".png");
        const cv::Mat read = cv::imread(file.string());
        ASSERT_EQ(read.size(), cv::Size(37, 21));
        EXPECT_TRUE(std::equal(picture.pixels.begin(), picture.pixels.end(), read.data));
    }
}

TEST(Recorder, a_video_shows_each_picture_for_as_long_as_it_was_seen) {
    const TempFolder temp;
    {
        Recorder recorder(temp.path(), 20);
        recorder.frame(Grey(64, 48, 10).view(), 99);  // not recording yet
        recorder.start();
        recorder.frame(Grey(64, 48, 50).view(), 100.0);
        recorder.frame(Grey(64, 48, 100).view(), 100.5);
        recorder.frame(Grey(64, 48, 200).view(), 100.75);
        EXPECT_NEAR(recorder.seconds(), 0.75, 1e-9);
        recorder.stop(101.0);
        EXPECT_TRUE(wait_for_news(recorder).starts_with("saved saccade-"));
    }
    const auto files = files_in(temp.path());
    ASSERT_EQ(files.size(), 1u);
    const std::vector<int> levels = levels_of(files[0]);
    ASSERT_EQ(levels.size(), 20u);
    for (size_t i = 0; i < levels.size(); ++i)
        EXPECT_NEAR(levels[i], i < 10 ? 50 : i < 15 ? 100 : 200, 12) << i;
}

TEST(Recorder, pictures_of_another_size_begin_another_file) {
    const TempFolder temp;
    {
        Recorder recorder(temp.path(), 10);
        recorder.start();
        recorder.frame(Grey(64, 48, 50).view(), 0);
        recorder.frame(Grey(80, 60, 50).view(), 0.1);
    }  // finishes the recording
    const auto files = files_in(temp.path());
    ASSERT_EQ(files.size(), 2u);
    for (const auto& file : files) EXPECT_EQ(levels_of(file).size(), 1u) << file;
}

TEST(Recorder, an_odd_side_loses_a_line_so_that_phones_and_browsers_play_it) {
    const TempFolder temp;
    {
        Recorder recorder(temp.path());
        recorder.start();
        recorder.frame(Grey(65, 49, 50).view(), 0);
    }
    const auto video = stream_of(probe(files_in(temp.path()).at(0)), "video");
    EXPECT_EQ(video["width"], 64);
    EXPECT_EQ(video["height"], 48);
    EXPECT_EQ(video["pix_fmt"], "yuv420p");
}

TEST(Recorder, never_makes_the_caller_wait) {
    const TempFolder temp;
    Recorder recorder(temp.path());
    const Grey picture(1920, 1080, 50);
    recorder.start();
    for (int i = 0; i < 60; ++i) recorder.frame(picture.view(), i / 30.0);
    EXPECT_GT(recorder.left_out(), 0u) << "nobody encodes sixty of these while they are copied";
    recorder.stop(2);
    EXPECT_TRUE(wait_for_news(recorder).starts_with("saved "));
}

TEST(Recorder, a_folder_that_is_not_there_is_told_and_leaves_nothing_behind) {
    const TempFolder temp;
    Recorder recorder(temp / "nowhere");
    recorder.start();
    recorder.frame(Grey(64, 48, 50).view(), 0);
    EXPECT_NE(wait_for_news(recorder).find("cannot be written"), std::string::npos);
    EXPECT_TRUE(recorder.failed()) << "it is not tried again with every frame";
    recorder.frame(Grey(64, 48, 50).view(), 1);
    EXPECT_EQ(recorder.seconds(), 0);
    recorder.screenshot(Grey(64, 48, 50).view());
    EXPECT_NE(wait_for_news(recorder).find("nowhere"), std::string::npos);
    recorder.stop(0);
    EXPECT_TRUE(files_in(temp.path()).empty());
    std::filesystem::create_directory(temp / "nowhere");
    recorder.start();
    EXPECT_FALSE(recorder.failed());
    recorder.frame(Grey(64, 48, 50).view(), 2);
    recorder.stop(3);
    EXPECT_TRUE(wait_for_news(recorder).starts_with("saved "));
}

}  // namespace
}  // namespace saccade
