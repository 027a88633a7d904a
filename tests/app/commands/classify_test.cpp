// `saccade classify` as started from a shell.

#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>

#include "models/files/json.h"
#include "tests/app/pictures.h"
#include "tests/app/program.h"
#include "tests/places.h"

namespace saccade {
namespace {

class Classify : public ::testing::Test {
protected:
    Outcome classify(const Words& pictures, const Words& options = {}) const {
        return Program(places::program(), words(pictures, options)).wait();
    }
    Words words(const Words& pictures, const Words& options = {}) const {
        Words all{"classify", "--classifier", model};
        all.insert(all.end(), pictures.begin(), pictures.end());
        all.insert(all.end(), options.begin(), options.end());
        return on_test_device(all);
    }
    // The one line of output for a picture; fails without one.
    nlohmann::json answer(const std::string& picture, const Words& options = {}) const {
        Words with = options;
        with.push_back("--json");
        const Outcome outcome = classify({picture}, with);
        expect_done(outcome);
        return nlohmann::json::parse(outcome.out);
    }
    void expect_classes(const nlohmann::json& line, const cv::Mat& picture) const {
        EXPECT_EQ(line["width"], picture.cols);
        EXPECT_EQ(line["height"], picture.rows);
        EXPECT_EQ(line["classes"].size(), 5u);
    }
    std::string file(const std::string& name) const { return temp / name; }

    TempFolder temp;
    const std::string model = model_folder(temp, "vit-nano");
    const cv::Mat cat = cv::imread(golden_picture());
};

TEST_F(Classify, prints_what_transformers_answers) {
    std::string want = golden_picture() + "\n";
    for (const auto& [id, score] : read_json(golden_folder() / "vit-nano" / "golden.json")["top5"]
                                       .get<std::vector<std::pair<int, double>>>()) {
        char line[64];
        std::snprintf(line, sizeof line, "  %5.1f %%  LABEL_%d\n", 100 * score, id);
        want += line;
    }
    const Outcome exact = classify({golden_picture()}, {"--precision", "fp32"});
    expect_done(exact);
    EXPECT_EQ(exact.out, want);
    const Outcome one = classify({golden_picture()}, {"--precision", "fp16", "--top", "1"});
    expect_done(one);
    EXPECT_EQ(lines_of(one.out).size(), 2u);
    expect_says(one.out, "LABEL_6");
}

TEST_F(Classify, json_has_the_keys_that_scripts_rely_on) {
    const nlohmann::json line = answer(golden_picture());
    EXPECT_EQ(line["source"], golden_picture());
    EXPECT_EQ(line["frame"], 0);
    EXPECT_EQ(line["time"], 0.0);
    EXPECT_EQ(line["width"], 451);
    EXPECT_EQ(line["height"], 300);
    ASSERT_EQ(line["classes"].size(), 5u);
    double before = 1;
    for (const auto& entry : line["classes"]) {
        EXPECT_EQ(entry["label"], "LABEL_" + std::to_string(entry["id"].get<int>()));
        EXPECT_GT(entry["score"], 0.0);
        EXPECT_LE(entry["score"], before);
        before = entry["score"];
    }
    EXPECT_GT(line["ms"]["decode"], 0.0);
    for (const auto& [name, ms] : line["ms"].items()) EXPECT_GE(ms, 0.0) << name;
}

TEST_F(Classify, a_model_of_fewer_classes_answers_with_all_of_them) {
    EXPECT_EQ(answer(golden_picture(), {"--top", "16"})["classes"].size(), 10u);
}

TEST_F(Classify, pictures_of_many_sizes_in_one_call_are_answered_as_alone) {
    Words pictures;
    for (cv::Size size : {cv::Size(451, 300), cv::Size(100, 200), cv::Size(33, 7)}) {
        const cv::Mat part(cat, cv::Rect(cv::Point(), cv::Size(std::min(size.width, cat.cols),
                                                               std::min(size.height, cat.rows))));
        pictures.push_back(file(std::to_string(size.width) + ".png"));
        cv::imwrite(pictures.back(), part);
    }
    pictures.push_back(pictures[1]);
    pictures.push_back(pictures[1]);
    pictures.push_back(pictures[0]);
    const Outcome outcome = classify(pictures, {"--json"});
    expect_done(outcome);
    const Words lines = lines_of(outcome.out);
    ASSERT_EQ(lines.size(), pictures.size());
    for (size_t i = 0; i < lines.size(); ++i) {
        const nlohmann::json line = nlohmann::json::parse(lines[i]);
        EXPECT_EQ(line["source"], pictures[i]);
        EXPECT_EQ(line["classes"], answer(pictures[i])["classes"]);
    }
}

TEST_F(Classify, one_missing_picture_does_not_stop_the_others) {
    const Outcome outcome =
        classify({golden_picture(), file("nosuch.png"), golden_picture()}, {"--json"});
    expect_refused(outcome, 1, "there is no picture '" + file("nosuch.png") + "'");
    EXPECT_EQ(lines_of(outcome.out).size(), 2u);
}

TEST_F(Classify, a_picture_too_large_for_the_device_does_not_stop_the_others) {
    // Two rows, wider than the largest image of any device; then the same size again.
    cv::imwrite(file("wide.png"), cv::Mat(2, 70000, CV_8UC3, cv::Scalar(1, 2, 3)));
    const Outcome outcome =
        classify({file("wide.png"), golden_picture(), file("wide.png"), golden_picture()});
    EXPECT_EQ(outcome.code, 1);
    const Words lines = lines_of(outcome.err);
    ASSERT_EQ(lines.size(), 2u) << outcome.err;
    for (const std::string& line : lines) {
        expect_says(line, "saccade: '" + file("wide.png") + "'");
        expect_says(line, "70000x2");
    }
    EXPECT_EQ(lines_of(outcome.out).size(), 12u);
}

TEST_F(Classify, any_picture_that_can_be_decoded_is_answered) {
    cv::Mat grey, alpha, deep;
    cv::extractChannel(cat, grey, 1);
    cv::Mat channels[] = {cat, grey};
    alpha.create(cat.size(), CV_8UC4);
    const int from_to[] = {0, 0, 1, 1, 2, 2, 3, 3};
    cv::mixChannels(channels, 2, &alpha, 1, from_to, 4);
    cat.convertTo(deep, CV_16UC3, 257);
    const cv::Mat dot(1, 1, CV_8UC3, cv::Scalar(20, 120, 220));

    cv::imwrite(file("grey.png"), grey);
    cv::imwrite(file("alpha.png"), alpha);
    cv::imwrite(file("deep.png"), deep);
    cv::imwrite(file("dot.png"), dot);
    cv::imwrite(file("colour.bmp"), cat);
    expect_classes(answer(file("grey.png")), grey);
    expect_classes(answer(file("dot.png")), dot);
    // The last three hold the golden picture's pixels.
    const nlohmann::json want = answer(golden_picture())["classes"];
    for (const char* name : {"alpha.png", "deep.png", "colour.bmp"})
        EXPECT_EQ(answer(file(name))["classes"], want) << name;
}

TEST_F(Classify, large_pictures_are_answered) {
    const cv::Mat photo(4500, 6000, CV_8UC3, cv::Scalar(20, 120, 220));
    cv::imwrite(file("photo.jpg"), photo);
    expect_classes(answer(file("photo.jpg")), photo);
    // More bytes than one binding of software Vulkan can have.
    const cv::Mat scan(6500, 7000, CV_8UC3, cv::Scalar(20, 120, 220));
    cv::imwrite(file("scan.ppm"), scan);
    const nlohmann::json line = answer(file("scan.ppm"));
    expect_classes(line, scan);
    cv::imwrite(file("dot.ppm"), cv::Mat(1, 1, CV_8UC3, cv::Scalar(20, 120, 220)));
    EXPECT_EQ(line["classes"], answer(file("dot.ppm"))["classes"]) << "all of one colour";
}

TEST_F(Classify, what_is_no_picture_gets_one_line) {
    const std::string png = encoded(".png", cat), jpeg = encoded(".jpg", cat);
    temp.write("text.png", "this is not a picture\n");
    temp.write("empty.png", "");
    temp.write("short.png", png.substr(0, png.size() / 2));
    temp.write("short.jpg", jpeg.substr(0, jpeg.size() / 2));
    temp.write("header.jpg", jpeg.substr(0, 100));
    temp.write("noise.png", png.substr(0, 200) + std::string(1000, 'x') + png.substr(1200));
    for (const char* name :
         {"text.png", "empty.png", "short.png", "short.jpg", "header.jpg", "noise.png"}) {
        SCOPED_TRACE(name);
        const Outcome outcome = classify({file(name)});
        expect_refused(outcome, 1, "'" + file(name) + "'");
        EXPECT_EQ(outcome.out, "");
    }
    expect_refused(classify({temp.path()}), 1, "is not a picture file");
    expect_refused(classify({"/dev/null"}), 1, "is not a picture file");
}

TEST_F(Classify, a_damaged_jpeg_is_answered_with_a_warning) {
    std::string jpeg = encoded(".jpg", cat);
    for (size_t i = jpeg.size() / 2; i < jpeg.size() / 2 + 500; ++i) jpeg[i] ^= 0x5a;
    temp.write("damaged.jpg", jpeg);
    const Outcome outcome = classify({file("damaged.jpg")});
    expect_refused(outcome, 0, "'" + file("damaged.jpg") + "' is damaged");
    EXPECT_EQ(lines_of(outcome.out).size(), 6u);
    expect_done(classify({file("damaged.jpg")}, {"--quiet"}));
}

TEST_F(Classify, decoders_speak_only_under_verbose) {
    temp.write("profile.png", with_bad_profile(encoded(".png", cat)));
    expect_done(classify({file("profile.png")}));
    const Outcome outcome = classify({file("profile.png")}, {"--verbose"});
    EXPECT_EQ(outcome.code, 0);
    expect_says(outcome.err, "iCCP");
    expect_says(outcome.err, "running on");
    for (const std::string& line : lines_of(outcome.err))
        EXPECT_TRUE(line.starts_with("saccade: ")) << line;
}

TEST_F(Classify, what_is_not_such_a_model_gets_one_line) {
    const auto refused = [&](const std::string& folder, std::string_view says) {
        const Outcome outcome =
            saccade_program(on_test_device({"classify", golden_picture(), "--classifier", folder}));
        expect_refused(outcome, 1, says);
        EXPECT_EQ(outcome.out, "");
    };
    refused(file("nosuch"), "is not a model folder");
    refused(temp.path(), "is not a model folder");
    refused(golden_picture(), "is not a model folder");
    std::filesystem::create_directory(temp / "other");
    temp.write("other/config.json", R"({"model_type": "detr"})");
    refused(file("other"), "detr");
    temp.write("other/config.json", "{");
    refused(file("other"), "config.json");
    std::filesystem::copy_file(model + "/config.json", temp / "other/config.json",
                               std::filesystem::copy_options::overwrite_existing);
    refused(file("other"), "preprocessor_config.json");
    std::filesystem::copy_file(model + "/preprocessor_config.json",
                               temp / "other/preprocessor_config.json");
    refused(file("other"), "model.safetensors");
}

TEST_F(Classify, a_device_that_is_not_there_is_refused) {
    expect_refused(saccade_program(
                       {"classify", golden_picture(), "--classifier", model, "--device", "nosuch"}),
                   1, "saccade devices");
}

TEST_F(Classify, deit_preprocessing_can_be_chosen) {
    const nlohmann::json hub = answer(golden_picture());
    const nlohmann::json deit = answer(golden_picture(), {"--preprocess", "deit"});
    EXPECT_EQ(deit["classes"].size(), 5u);
    EXPECT_NE(deit["classes"], hub["classes"]);
}

TEST_F(Classify, names_of_any_bytes_come_back_as_json) {
    for (const char* name : {"K\xc3\xa4tzchen \xe7\x8c\xab.ppm", "quote\"'.ppm", "\xff\xfe.ppm"}) {
        std::filesystem::copy_file(golden_picture(), temp / name);
        EXPECT_EQ(answer(file(name))["classes"].size(), 5u) << name;
    }
}

TEST_F(Classify, neither_names_nor_labels_command_the_terminal) {
    nlohmann::json config = read_json(model + "/config.json");
    for (auto& label : config["id2label"]) label = "\x1b[31mred";
    std::ofstream(model + "/config.json") << config;
    const std::string name = file("\x1b]0;title\x07.ppm"), missing = file("\x1b[2J.ppm");
    std::filesystem::copy_file(golden_picture(), name);
    const Outcome outcome = classify({name, missing});
    expect_says(outcome.out, "\\u001b[31mred");
    for (const std::string* text : {&outcome.out, &outcome.err}) {
        expect_says(*text, "\\u001b");
        EXPECT_EQ(text->find_first_of("\x1b\x07"), text->npos) << *text;
    }
}

TEST_F(Classify, a_reader_that_goes_away_ends_it_without_noise) {
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    ::close(ends[0]);
    const Outcome outcome =
        Program(places::program(), words({golden_picture(), golden_picture()}), ends[1]).wait();
    ::close(ends[1]);
    EXPECT_TRUE(outcome.signal == SIGPIPE || outcome.code == 1);
    EXPECT_LE(lines_of(outcome.err).size(), 1u) << outcome.err;
}

TEST_F(Classify, an_interrupt_leaves_whole_lines) {
    Program program(places::program(), words(Words(5000, golden_picture()), {"--json"}));
    for (int i = 0; i < 6000 && program.out().empty(); ++i) ::usleep(10'000);
    program.send(SIGINT);
    const Outcome outcome = program.wait();
    EXPECT_NE(outcome.code, 0) << "it was to be interrupted";
    EXPECT_EQ(outcome.err, "");
    ASSERT_TRUE(outcome.out.ends_with("\n"));
    for (const std::string& line : lines_of(outcome.out))
        EXPECT_EQ(nlohmann::json::parse(line)["classes"].size(), 5u);
}

}  // namespace
}  // namespace saccade
