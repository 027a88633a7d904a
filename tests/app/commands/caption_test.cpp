// `saccade caption` as started from a shell.

#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>

#include "models/files/json.h"
#include "tests/app/program.h"

namespace saccade {
namespace {

// A golden captioner as a folder, with or without the tokenizer of its 800 words.
std::string captioner_folder(const TempFolder& temp, const std::string& golden, bool tokenizer) {
    const std::string folder = model_folder(temp, golden);
    std::filesystem::copy_file(golden_folder() / golden / "generation_config.json",
                               folder + "/generation_config.json");
    if (tokenizer)
        std::filesystem::copy_file(golden_folder() / "tokenizers" / "gpt2-nano" / "tokenizer.json",
                                   folder + "/tokenizer.json");
    return folder;
}

class CaptionCommand : public ::testing::Test {
protected:
    Outcome caption(const Words& options) const {
        Words all{"caption", "--captioner", model};
        all.insert(all.end(), options.begin(), options.end());
        return saccade_program(on_test_device(all));
    }
    nlohmann::json answer(const Words& options) const {
        Words with{golden_picture(), "--json", "--precision", "fp32"};
        with.insert(with.end(), options.begin(), options.end());
        const Outcome outcome = caption(with);
        expect_done(outcome);
        return nlohmann::json::parse(outcome.out);
    }

    TempFolder temp;
    const std::string model = captioner_folder(temp, "vit-gpt2-nano", true);
    const nlohmann::json golden = read_json(golden_folder() / "vit-gpt2-nano" / "golden.json");
};

TEST_F(CaptionCommand, says_what_transformers_says) {
    const nlohmann::json line = answer({"--max-length", "13"});
    EXPECT_EQ(line["caption"]["ids"], golden["ids"]);
    EXPECT_EQ(line["caption"]["text"], golden["text"]);
    EXPECT_EQ(line["width"], 451);
    EXPECT_EQ(line["height"], 300);
    EXPECT_GT(line["ms"]["captioner"], 0);
    ASSERT_FALSE(line["caption"]["words"].empty());
    for (const auto& word : line["caption"]["words"]) {
        EXPECT_GT(word["p"], 0.0);
        EXPECT_LE(word["p"], 1.0);
    }
    EXPECT_EQ(answer({})["caption"]["ids"].size(), 16u) << "as long as generation_config.json says";

    const Outcome text = caption({golden_picture(), "--max-length", "13", "--precision", "fp32"});
    expect_done(text);
    EXPECT_EQ(text.out, golden_picture() + "\n  " + golden["text"].get<std::string>() + "\n");
}

TEST_F(CaptionCommand, four_beams_say_what_transformers_says) {
    const nlohmann::json line = answer({"--max-length", "13", "--beams", "4"});
    EXPECT_EQ(line["caption"]["ids"], golden["beam4_ids"]);
    EXPECT_NEAR(line["caption"]["score"], golden["beam4_score"].get<double>(), 1e-4);
}

TEST_F(CaptionCommand, writes_a_heat_map_a_word_and_a_sheet_of_all) {
    const std::filesystem::path folder = temp / "maps";
    const nlohmann::json line = answer({"--max-length", "8", "--prompt", "the software",
                                        "--attention", "word", "-o", folder.string()});
    const size_t words = line["caption"]["words"].size();
    ASSERT_GT(words, 0u);
    size_t maps = 0, sheets = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        EXPECT_TRUE(name.starts_with("chelsea-") && name.ends_with(".png")) << name;
        const cv::Mat picture = cv::imread(entry.path().string());
        ASSERT_FALSE(picture.empty()) << name;
        if (name == "chelsea-words.png") {
            ++sheets;
            EXPECT_GT(picture.cols, 360);
        } else {
            ++maps;
            EXPECT_EQ(picture.size(), cv::Size(451, 300));
        }
    }
    EXPECT_EQ(maps, words);
    EXPECT_EQ(sheets, 1u);
    EXPECT_GT(line["ms"]["draw"], 0);
}

TEST_F(CaptionCommand, without_a_tokenizer_captions_are_ids_with_a_note) {
    std::filesystem::remove(model + "/tokenizer.json");
    const Outcome outcome = caption({golden_picture(), "--max-length", "5", "--precision", "fp32"});
    expect_refused(outcome, 0, "has no tokenizer");
    EXPECT_EQ(outcome.out, golden_picture() + "\n  ids 0 253 620 783 783\n");
    const Outcome json = caption(
        {golden_picture(), "--max-length", "5", "--precision", "fp32", "--json", "--quiet"});
    expect_done(json);
    const nlohmann::json line = nlohmann::json::parse(json.out);
    EXPECT_EQ(line["caption"]["text"], "");
    EXPECT_EQ(line["caption"]["words"][0]["text"], "253");
    expect_refused(caption({golden_picture(), "--prompt", "a", "--quiet"}), 1, "tokenizer");
}

TEST_F(CaptionCommand, an_empty_caption_is_an_answer) {
    nlohmann::json generation = read_json(model + "/generation_config.json");
    generation["eos_token_id"] = 253;  // the first token that it generates
    std::ofstream(model + "/generation_config.json") << generation;
    EXPECT_EQ(answer({})["caption"]["ids"], nlohmann::json({0, 253}));
}

TEST_F(CaptionCommand, a_picture_of_one_colour_gets_a_caption) {
    const std::string grey = temp / "grey.png";
    cv::imwrite(grey, cv::Mat(40, 60, CV_8UC3, cv::Scalar(9, 9, 9)));
    const Outcome outcome = caption({grey, "--max-length", "6"});
    expect_done(outcome);
    EXPECT_EQ(lines_of(outcome.out).size(), 2u);
}

TEST_F(CaptionCommand, one_bad_picture_does_not_keep_others_from_their_captions) {
    const Outcome outcome = caption({temp / "nosuch.png", golden_picture(), "--max-length", "5"});
    expect_refused(outcome, 1, "nosuch.png");
    EXPECT_TRUE(outcome.out.starts_with(golden_picture())) << outcome.out;
}

TEST_F(CaptionCommand, what_cannot_be_done_gets_one_line) {
    const std::string picture = golden_picture();
    expect_refused(caption({picture, "--attention", "word"}), 2, "-o FOLDER");
    expect_refused(caption({picture, "--layer", "1"}), 2, "--attention word");
    expect_refused(caption({picture, "--beams", "0"}), 2, "--beams");
    expect_refused(caption({picture, "--attention", "head"}), 2, "--attention");
    const std::string out = temp / "maps";
    expect_refused(caption({picture, "--attention", "word", "-o", out, "--layer", "2"}), 1,
                   "2 layers");
    expect_refused(caption({picture, "--attention", "word", "-o", out, "--head", "4"}), 1,
                   "4 heads");
    expect_refused(caption({picture, "--attention", "word", "-o", picture}), 1, "folder");
    expect_refused(caption({picture, "--max-length", "65"}), 1, "64");

    // A tokenizer of 269 tokens for a model of 800 words.
    std::filesystem::copy_file(golden_folder() / "tokenizers" / "wordpiece-json" / "tokenizer.json",
                               model + "/tokenizer.json",
                               std::filesystem::copy_options::overwrite_existing);
    expect_refused(caption({picture}), 1, "vocabulary of 800");
    const std::string other = model_folder(temp, "vit-nano");
    expect_refused(saccade_program({"caption", picture, "--captioner", other}), 1,
                   "is not a captioner");
}

}  // namespace
}  // namespace saccade
