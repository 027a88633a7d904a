// `saccade detect` as started from a shell.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>

#include "app/commands/detect.h"
#include "models/files/json.h"
#include "tests/app/pictures.h"
#include "tests/app/program.h"

namespace saccade {
namespace {

class Detect : public ::testing::Test {
protected:
    Outcome detect(const Words& pictures, const Words& options = {}) const {
        Words all{"detect", "--detector", model};
        all.insert(all.end(), pictures.begin(), pictures.end());
        all.insert(all.end(), options.begin(), options.end());
        return saccade_program(on_test_device(all));
    }
    // The one line of output for a picture; fails without one.
    nlohmann::json answer(const std::string& picture, const Words& options = {},
                          const std::string& threshold = "0") const {
        Words with{"--json", "--threshold", threshold};
        with.insert(with.end(), options.begin(), options.end());
        const Outcome outcome = detect({picture}, with);
        expect_done(outcome);
        return nlohmann::json::parse(outcome.out);
    }
    std::string file(const std::string& name) const { return temp / name; }
    std::string write(const std::string& name, const cv::Mat& picture) const {
        cv::imwrite(file(name), picture);
        return file(name);
    }
    void expect_answered(const std::string& picture, int width, int height) const {
        const nlohmann::json line = answer(picture);
        EXPECT_EQ(line["width"], width);
        EXPECT_EQ(line["height"], height);
        EXPECT_EQ(line["detections"].size(), 12u);
    }

    TempFolder temp;
    const std::string model = model_folder(temp, "yolos-nano");
    const std::string astronaut = golden_folder() / "images" / "astronaut.png";
    const cv::Mat cat = cv::imread(golden_picture());
};

TEST_F(Detect, finds_what_transformers_finds) {
    const nlohmann::json golden = read_json(golden_folder() / "yolos-nano" / "golden.json");
    const std::string threshold = std::to_string(golden["threshold"].get<double>());
    const nlohmann::json line = answer(astronaut, {"--precision", "fp32"}, threshold);
    ASSERT_EQ(line["detections"].size(), golden["detections"].size());
    double before = 1;
    for (const auto& found : line["detections"]) {
        EXPECT_LE(found["score"], before);
        before = found["score"];
        bool known = false;
        for (const auto& want : golden["detections"]) {
            bool same = found["id"] == want["label"];
            for (size_t i = 0; i < 4; ++i)
                same &= std::abs(found["box"][i].get<double>() - want["box"][i].get<double>()) < 1;
            known |= same;
        }
        EXPECT_TRUE(known) << found;
    }
}

TEST_F(Detect, the_folder_says_from_which_score_on_it_is_to_be_believed) {
    const auto scores = [&](const Words& options) {
        Words with{"--json", "--precision", "fp32"};
        with.insert(with.end(), options.begin(), options.end());
        const Outcome outcome = detect({astronaut}, with);
        expect_done(outcome);
        const nlohmann::json line = nlohmann::json::parse(outcome.out);
        std::vector<double> scores;
        for (const auto& found : line["detections"]) scores.push_back(found["score"]);
        return scores;
    };
    const std::vector<double> all = scores({"--threshold", "0"});
    ASSERT_EQ(all.size(), 12u);
    EXPECT_EQ(scores({}).size(),
              size_t(std::ranges::count_if(all, [](double s) { return s > 0.5; })));

    nlohmann::json config = read_json(std::filesystem::path(model) / "config.json");
    config["sure_above"] = (all[3] + all[4]) / 2;
    std::ofstream(std::filesystem::path(model) / "config.json") << config;
    EXPECT_EQ(scores({}).size(), 4u);
    EXPECT_EQ(scores({"--threshold", "0"}).size(), 12u) << "a person's word goes first";

    config["sure_above"] = 2;
    std::ofstream(std::filesystem::path(model) / "config.json") << config;
    expect_refused(detect({astronaut}), 1, "sure_above");
}

TEST_F(Detect, text_has_score_label_and_box) {
    const Outcome outcome = detect({astronaut}, {"--precision", "fp32", "--threshold", "0.205"});
    expect_done(outcome);
    EXPECT_EQ(outcome.out, astronaut + "\n   20.5 %  LABEL_4  [82.1, 7.3, 259.4, 285.1]\n");
    const Outcome nothing = detect({astronaut}, {"--threshold", "1"});
    expect_done(nothing);
    EXPECT_EQ(nothing.out, astronaut + "\n  nothing found\n");
}

TEST_F(Detect, json_has_the_keys_that_scripts_rely_on) {
    const nlohmann::json line = answer(golden_picture());
    EXPECT_EQ(line["source"], golden_picture());
    EXPECT_EQ(line["frame"], 0);
    EXPECT_EQ(line["time"], 0.0);
    EXPECT_EQ(line["width"], 451);
    EXPECT_EQ(line["height"], 300);
    for (const auto& found : line["detections"]) {
        EXPECT_EQ(found["label"], "LABEL_" + std::to_string(found["id"].get<int>()));
        EXPECT_GT(found["score"], 0.0);
        EXPECT_EQ(found["box"].size(), 4u);
    }
    EXPECT_GT(line["ms"]["decode"], 0.0);
    EXPECT_FALSE(line["ms"].contains("draw"));
    for (const auto& [name, ms] : line["ms"].items()) EXPECT_GE(ms, 0.0) << name;
}

TEST_F(Detect, classes_and_numbers_are_filtered) {
    const nlohmann::json all = answer(astronaut)["detections"];
    const nlohmann::json some = answer(astronaut, {"--classes", "LABEL_7,LABEL_4"})["detections"];
    EXPECT_GT(some.size(), 0u);
    EXPECT_LT(some.size(), all.size());
    for (const auto& found : some) EXPECT_TRUE(found["id"] == 7 || found["id"] == 4) << found;
    EXPECT_EQ(answer(astronaut, {"--max-detections", "3"})["detections"].size(), 3u);
    expect_refused(detect({astronaut}, {"--classes", "unicorn"}), 1, "no class 'unicorn'");
    // Options may come before the pictures, and more than once.
    expect_done(
        saccade_program(on_test_device({"detect", "--detector", model, "--classes",
                                        "LABEL_7,LABEL_4", "--classes", "LABEL_1", astronaut})));
}

TEST_F(Detect, a_size_replaces_the_one_of_the_model) {
    EXPECT_NE(answer(astronaut, {"--size", "160x128"})["detections"],
              answer(astronaut)["detections"]);
    for (const char* bad : {"640", "x", "640x", "0x10", "640x480x3", "-1x5", "axb"})
        expect_refused(detect({astronaut}, {"--size", bad}), 2, "WIDTHxHEIGHT");
    EXPECT_EQ(parse_size("1280x720"), (Size{1280, 720}));
}

TEST_F(Detect, wrong_numbers_are_refused) {
    for (const char* bad : {"2", "-0.1", "nan", "inf", "0.5x"})
        expect_refused(detect({astronaut}, {"--threshold", bad}), 2, "not in range 0 to 1");
    expect_refused(detect({astronaut}, {"--max-detections", "0"}), 2, "--max-detections");
}

TEST_F(Detect, the_annotated_picture_has_boxes_and_the_size_of_the_source) {
    const std::string out = file("boxes.png");
    const nlohmann::json line = answer(golden_picture(), {"-o", out, "--max-detections", "1"});
    EXPECT_GT(line["ms"]["draw"], 0.0);
    const cv::Mat drawn = cv::imread(out);
    ASSERT_EQ(drawn.size(), cat.size());
    EXPECT_GT(cv::norm(drawn, cat, cv::NORM_INF), 50);
    // Only pixels of the box and its label change.
    const nlohmann::json box = line["detections"][0]["box"];
    const int x = int(box[0].get<double>() + box[2].get<double>()) / 2;
    const int y = int(box[1].get<double>() * 0.3 + box[3].get<double>() * 0.7);
    EXPECT_EQ(drawn.at<cv::Vec3b>(y, x), cat.at<cv::Vec3b>(y, x));
}

TEST_F(Detect, several_pictures_go_into_a_folder_and_no_source_is_overwritten) {
    std::filesystem::create_directory(temp / "a");
    const std::string one = write("cat.png", cat), two = write("a/cat.png", cat);
    const std::string out = temp.path();
    expect_done(detect({one, two}, {"-o", out}));
    for (const char* name : {"cat-detected.png", "cat-detected-2.png"})
        EXPECT_EQ(cv::imread(file(name)).size(), cat.size()) << name;
    EXPECT_EQ(cv::norm(cv::imread(one), cat, cv::NORM_INF), 0);

    expect_refused(detect({one}, {"-o", one}), 1, "would overwrite the picture");
    EXPECT_EQ(cv::norm(cv::imread(one), cat, cv::NORM_INF), 0);
    // A folder that is not there yet.
    expect_done(detect({one, golden_picture()}, {"-o", file("new/folder")}));
    EXPECT_TRUE(std::filesystem::exists(temp / "new/folder/cat-detected.png"));
    EXPECT_TRUE(std::filesystem::exists(temp / "new/folder/chelsea-detected.png"));
}

TEST_F(Detect, a_picture_that_cannot_be_written_leaves_nothing_behind) {
    expect_refused(detect({golden_picture()}, {"-o", file("nosuch/boxes.png")}), 1,
                   "cannot be written");
    expect_refused(detect({golden_picture()}, {"-o", file("boxes.txt")}), 1,
                   "name it .png or .jpg");
    expect_refused(detect({golden_picture(), astronaut}, {"-o", write("file.png", cat)}), 1,
                   "name a folder");
    expect_refused(detect({golden_picture(), astronaut}, {"-o", file("x.jpg")}), 1,
                   "name a folder, like");
    EXPECT_FALSE(std::filesystem::exists(temp / "x.jpg"));
    for (const auto& entry : std::filesystem::directory_iterator(temp.path()))
        EXPECT_EQ(entry.path().string().find("-part-"), std::string::npos) << entry.path();
}

TEST_F(Detect, pictures_of_many_sizes_in_one_call_are_answered_as_alone) {
    Words pictures;
    for (cv::Size size : {cv::Size(451, 300), cv::Size(100, 200), cv::Size(33, 7)})
        pictures.push_back(
            write(std::to_string(size.width) + ".png", cat(cv::Rect(cv::Point(), size))));
    pictures.push_back(pictures[0]);
    const Outcome outcome = detect(pictures, {"--json", "--threshold", "0"});
    expect_done(outcome);
    const Words lines = lines_of(outcome.out);
    ASSERT_EQ(lines.size(), 4u);
    for (size_t i = 0; i < 4; ++i)
        EXPECT_EQ(nlohmann::json::parse(lines[i])["detections"], answer(pictures[i])["detections"]);
}

TEST_F(Detect, one_bad_picture_does_not_stop_the_others) {
    const Outcome outcome = detect({astronaut, file("nosuch.png"), astronaut}, {"--json"});
    expect_refused(outcome, 1, "there is no picture '" + file("nosuch.png") + "'");
    EXPECT_EQ(lines_of(outcome.out).size(), 2u);
}

TEST_F(Detect, every_kind_of_picture_is_answered) {
    expect_answered(write("pixel.png", cv::Mat(1, 1, CV_8UC3, cv::Scalar(9, 8, 7))), 1, 1);
    cv::Mat grey, deep;
    cv::extractChannel(cat, grey, 1);
    expect_answered(write("grey.png", grey), 451, 300);
    cv::Mat alpha;
    std::vector<cv::Mat> planes;
    cv::split(cat, planes);
    planes.push_back(grey);
    cv::merge(planes, alpha);
    expect_answered(write("rgba.png", alpha), 451, 300);
    cat.convertTo(deep, CV_16U, 257);
    expect_answered(write("deep.png", deep), 451, 300);
    expect_answered(write("line.png", cv::Mat(1, 3000, CV_8UC3, cv::Scalar(1, 2, 3))), 3000, 1);
}

TEST_F(Detect, a_damaged_jpeg_gets_one_line) {
    const std::string jpeg = encoded(".jpg", cat);
    temp.write("short.jpg", jpeg.substr(0, jpeg.size() / 2));
    expect_refused(detect({file("short.jpg")}), 1, "short.jpg");
    temp.write("noise.jpg", "\xff\xd8\xff\xe0" + std::string(4000, 'x'));
    expect_refused(detect({file("noise.jpg")}), 1, "noise.jpg");
}

TEST_F(Detect, a_very_large_picture_is_answered) {
    cv::imwrite(file("large.jpg"), cv::Mat(9000, 12000, CV_8UC3, cv::Scalar(40, 90, 200)));
    expect_answered(file("large.jpg"), 12000, 9000);
}

TEST_F(Detect, what_is_not_a_detector_gets_one_line) {
    auto with = [&](const std::string& folder) {
        return saccade_program(on_test_device({"detect", astronaut, "--detector", folder}));
    };
    expect_refused(with(file("nosuch")), 1, "is not a model folder");
    std::filesystem::create_directory(temp / "empty");
    expect_refused(with(file("empty")), 1, "is not a model folder");
    expect_refused(with(astronaut), 1, "is not a model folder");
    expect_refused(with(model_folder(temp, "vit-nano")), 1, "'vit' is not a detector");
}

}  // namespace
}  // namespace saccade
