// `saccade demo` as started from a shell, on the bundled models.

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/videoio.hpp>
#include <set>

#include "tests/app/program.h"
#include "tests/places.h"

namespace saccade {
namespace {

TEST(Demo, writes_a_video_lines_and_a_sheet_and_finds_what_is_there) {
    const TempFolder temp;
    const Outcome outcome = saccade_program(on_test_device(
        {"demo", "--headless", "--quiet", "--seconds", "0.8", "-o", temp.path().string()}));
    expect_done(outcome);
    EXPECT_NE(outcome.out.find("8 frames in "), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("against the scene's truth"), std::string::npos) << outcome.out;

    std::ifstream lines(temp / "demo.jsonl");
    std::string text;
    size_t count = 0, right = 0, there = 0;
    std::map<uint64_t, std::set<uint64_t>> tracks_of;  // of each object
    while (std::getline(lines, text)) {
        const nlohmann::json line = nlohmann::json::parse(text);
        EXPECT_EQ(line["frame"], count++);
        EXPECT_EQ(line["width"], 640);
        EXPECT_FALSE(line["classes"].empty());
        EXPECT_FALSE(line["caption"]["text"].get<std::string>().empty());
        for (const char* stage : {"upload", "detector", "classifier", "captioner", "draw"})
            EXPECT_GT(line["ms"][stage], 0) << stage;
        for (const nlohmann::json& object : line["truth"]["objects"]) {
            ++there;
            for (const nlohmann::json& found : line["detections"])
                if (found["label"] == object["label"] &&
                    std::abs(found["box"][0].get<double>() - object["box"][0].get<double>()) < 16) {
                    ++right;
                    if (found.contains("track"))
                        tracks_of[object["object"]].insert(found["track"].get<uint64_t>());
                    break;
                }
        }
    }
    EXPECT_EQ(count, 8u);
    EXPECT_GT(there, 0u);
    EXPECT_GE(right * 10, there * 9);
    EXPECT_NE(outcome.out.find(" tracks: IDF1 "), std::string::npos) << outcome.out;
    EXPECT_FALSE(tracks_of.empty());
    for (const auto& [object, tracks] : tracks_of)
        EXPECT_EQ(tracks.size(), 1u) << "object " << object << " has several numbers";

    cv::VideoCapture video((temp / "demo.mp4").string());
    ASSERT_TRUE(video.isOpened());
    cv::Mat frame;
    int frames = 0;
    while (video.read(frame)) ++frames;
    EXPECT_EQ(frames, 8);
    EXPECT_EQ(frame.empty() ? cv::Size(640, 480) : frame.size(), cv::Size(640, 480));
    EXPECT_FALSE(cv::imread((temp / "demo.png").string()).empty());
}

TEST(Demo, a_file_where_the_folder_should_be_gets_one_line) {
    const TempFolder temp;
    temp.write("taken", "");
    const Outcome outcome = saccade_program(on_test_device(
        {"demo", "--headless", "--seconds", "0.1", "-o", (temp / "taken").string()}));
    EXPECT_EQ(outcome.code, 1);
    EXPECT_NE(outcome.err.find("taken' cannot be made a folder"), std::string::npos) << outcome.err;
}

// The video cannot be written while frames are in flight: a limit on file sizes stands for a full
// disk.
TEST(Demo, a_disk_that_fills_up_gets_one_line_and_no_crash) {
    const TempFolder temp;
    Words words{"-c", "ulimit -f 8; trap '' XFSZ; exec \"$0\" \"$@\"", places::program()};
    for (const std::string& word : on_test_device(
             {"demo", "--headless", "--quiet", "--seconds", "1", "-o", temp.path().string()}))
        words.push_back(word);
    const Outcome outcome = run_program("/bin/sh", words);
    EXPECT_EQ(outcome.code, 1) << outcome.out << outcome.err;
    EXPECT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
}

}  // namespace
}  // namespace saccade
