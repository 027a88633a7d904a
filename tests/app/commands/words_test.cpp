// Prompts on the command line: --find, --like, --labels, ask.

#include <fstream>
#include <nlohmann/json.hpp>

#include "app/pipeline/examples.h"
#include "tests/app/program.h"

namespace saccade {
namespace {

class WordsOnCommandLine : public ::testing::Test {
protected:
    static Outcome run(Words words) { return saccade_program(on_test_device(std::move(words))); }
    Outcome find(const Words& options) const {
        Words all{"detect", golden_picture(), "--detector", owl};
        all.insert(all.end(), options.begin(), options.end());
        return run(all);
    }
    static nlohmann::json line_of(const Outcome& outcome) {
        expect_done(outcome);
        return nlohmann::json::parse(outcome.out);
    }

    TempFolder temp;
    const std::string owl = model_folder(temp, "owlv2-nano");
};

TEST_F(WordsOnCommandLine, a_detector_finds_phrases_from_the_threshold_of_its_card_on) {
    const nlohmann::json line = line_of(find({"--find", "a cat, a dog", "--json"}));
    ASSERT_FALSE(line["detections"].empty());
    for (const auto& one : line["detections"]) {
        EXPECT_TRUE(one["label"] == "a cat" || one["label"] == "a dog");
        EXPECT_GT(one["score"], 0.1);
    }
    const nlohmann::json none = line_of(find({"--find", "a cat", "--threshold", "1", "--json"}));
    EXPECT_TRUE(none["detections"].empty());
}

TEST_F(WordsOnCommandLine, a_detector_finds_more_like_a_part_of_a_picture) {
    const std::string part = golden_picture() + "@100,50,200,150", drawn = temp / "like.png";
    const nlohmann::json line =
        line_of(find({"--like", part, "--threshold", "0", "--json", "-o", drawn}));
    EXPECT_TRUE(std::filesystem::exists(drawn));
    ASSERT_FALSE(line["detections"].empty());
    EXPECT_EQ(line["detections"][0]["label"], "like chelsea");
    // Of overlapping boxes, the best is reported.
    for (size_t i = 0; i < line["detections"].size(); ++i)
        for (size_t j = 0; j < i; ++j) {
            const std::vector<float> a = line["detections"][i]["box"],
                                     b = line["detections"][j]["box"];
            const float across = std::min(a[2], b[2]) - std::max(a[0], b[0]);
            const float down = std::min(a[3], b[3]) - std::max(a[1], b[1]);
            if (across <= 0 || down <= 0) continue;
            const float both = across * down,
                        all = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - both;
            EXPECT_LE(both / all, 0.301f);
        }
    const nlohmann::json both =
        line_of(find({"--find", "a cat", "--like", golden_picture(), "--json"}));
    for (const auto& one : both["detections"])
        EXPECT_GT(one["score"], one["label"] == "a cat" ? 0.1 : 0.9);
}

TEST_F(WordsOnCommandLine, words_that_do_not_fit_get_one_line) {
    expect_refused(find({}), 1, "add --find \"red mug, my cat\"");
    expect_refused(find({"--find", "a cat,, a dog"}), 1, "--find: a phrase is empty");
    expect_refused(find({"--find", "  "}), 1, "--find: there is nothing");
    std::string far = "very";
    for (int i = 0; i < 30; ++i) far += " very";
    expect_refused(find({"--find", far + " far"}), 1, "the model reads at most 16");
    expect_refused(find({"--like", "nosuch.png"}), 1, "nosuch.png");
    expect_refused(find({"--like", golden_picture() + "@1,2,3"}), 1, "desk.png@40,60,120,90");
    expect_refused(find({"--like", golden_picture() + "@400,200,100,150"}), 1,
                   "outside of the picture, which has 451x300 pixels");

    const Words own{"detect", golden_picture(), "--detector", "emoji-detector"};
    auto with = [](Words words, const Words& more) {
        words.insert(words.end(), more.begin(), more.end());
        return run(words);
    };
    expect_refused(with(own, {"--find", "a cat"}), 1, "fixed classes and takes no --find");
    expect_refused(with(own, {"--like", golden_picture()}), 1, "fixed classes");
    expect_refused(
        run({"classify", golden_picture(), "--classifier", "emoji-classifier", "--labels", "a, b"}),
        1, "fixed classes and takes no --labels");
    expect_refused(run({"ask", golden_picture(), "What is it?", "--captioner", "emoji-captioner"}),
                   1, "describes pictures and takes no question");
    expect_refused(run({"ask", golden_picture(), " ", "--captioner", "emoji-captioner"}), 2,
                   "QUESTION");
    const std::string out = temp / "out";
    expect_refused(run({"batch", "synth:160x120?frames=2", "-o", out, "--detector", "none",
                        "--classifier", "none", "--captioner", "none", "--find", "a cat"}),
                   1, "--find needs a --detector");
    expect_refused(run({"live", "synth:160x120", "--headless", "--frames", "1", "--detector",
                        "none", "--classifier", "none", "--captioner", "none", "--ask", "What?"}),
                   1, "--ask needs a --captioner");
    expect_refused(run({"live", "synth:160x120", "--headless", "--frames", "1", "--detector", owl,
                        "--classifier", "none", "--captioner", "none"}),
                   1, "add --find");
}

TEST_F(WordsOnCommandLine, phrases_are_labels_of_a_batch_and_maps_of_it) {
    const std::string out = temp / "out", clip = model_folder(temp, "clip-nano");
    const Words common{"batch",        "synth:160x120?frames=2",
                       "-o",           out,
                       "--detector",   owl,
                       "--find",       "a cat, a dog",
                       "--classifier", clip,
                       "--labels",     "cat, dog",
                       "--captioner",  "none",
                       "--attention",  "phrase",
                       "--quiet",      "--csv"};
    expect_done(run(common));
    std::ifstream lines(out + "/FRAMES.jsonl");
    size_t count = 0;
    for (std::string text; std::getline(lines, text); ++count) {
        const nlohmann::json line = nlohmann::json::parse(text);
        ASSERT_FALSE(line["detections"].empty());
        EXPECT_TRUE(line["detections"][0]["label"] == "a cat" ||
                    line["detections"][0]["label"] == "a dog");
        EXPECT_EQ(line["classes"].size(), 2u);
    }
    EXPECT_EQ(count, 2u);
    EXPECT_TRUE(std::filesystem::exists(temp / "out/frames.csv"));
}

TEST(ExamplePictures, are_files_or_parts_of_them) {
    EXPECT_EQ(parse_example("mug.png").file, "mug.png");
    EXPECT_FALSE(parse_example("mug.png").box);
    const ExamplePicture part = parse_example("a@b.png@10,20,30.5,40");
    EXPECT_EQ(part.file, "a@b.png");
    EXPECT_EQ(part.box, Rectangle(10, 20, 40.5f, 60));
    for (const char* wrong : {"a.png@", "a.png@1,2,3", "a.png@1,2,3,x", "a.png@1,2,0,4"})
        expect_says(error_of([&] { parse_example(wrong); }), "left, top, width and height");
}

}  // namespace
}  // namespace saccade
