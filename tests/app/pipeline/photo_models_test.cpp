// The bundled models for photographs, on two freely usable photographs; and when they are the
// default.

#include <nlohmann/json.hpp>

#include "tests/app/program.h"
#include "tests/app/sources/clips.h"

namespace saccade {
namespace {

std::string astronaut() { return golden_folder() / "images" / "astronaut.png"; }

std::vector<nlohmann::json> parsed(const std::string& text) {
    std::vector<nlohmann::json> lines;
    for (const std::string& line : lines_of(text)) lines.push_back(nlohmann::json::parse(line));
    return lines;
}

std::vector<nlohmann::json> answers(const Words& words) {
    const Outcome outcome = saccade_program(on_test_device(words));
    expect_done(outcome);
    return parsed(outcome.out);
}

// Scores and boxes as they were when these weights were bundled.
TEST(PhotoModels, the_detector_finds_the_cat_and_the_astronaut) {
    const auto lines = answers({"detect", golden_picture(), astronaut(), "--json"});
    ASSERT_EQ(lines.size(), 2u);
    struct Known {
        std::string label;
        double score;
        std::vector<double> box;
    };
    auto expect_found = [](const nlohmann::json& line, const std::vector<Known>& known) {
        SCOPED_TRACE(line["source"]);
        ASSERT_EQ(line["detections"].size(), known.size());
        for (size_t n = 0; n < known.size(); ++n) {
            const nlohmann::json& found = line["detections"][n];
            EXPECT_EQ(found["label"], known[n].label);
            EXPECT_NEAR(found["score"], known[n].score, 0.02);
            for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(found["box"][i], known[n].box[i], 3) << i;
        }
    };
    expect_found(lines[0], {{"cat", 0.947, {-0.4, -0.1, 449.2, 299.3}}});
    expect_found(lines[1], {{"person", 0.979, {5.0, 6.4, 360.8, 516.2}},
                            {"scissors", 0.280, {358.3, 2.6, 455.5, 284.9}}});  // a space shuttle
}

TEST(PhotoModels, captioners_say_what_their_pictures_show_below_the_documents) {
    const std::string cat = golden_picture();
    const auto greedy = answers({"caption", cat, astronaut(), "--beams", "1", "--json"});
    EXPECT_EQ(greedy.at(0)["caption"]["text"], "a brown cat sitting on top of a table");
    EXPECT_EQ(greedy.at(1)["caption"]["text"], "a person holding a baseball bat on a field");
    const auto beams = answers({"caption", cat, "--json"});
    EXPECT_EQ(beams.at(0)["caption"]["text"], "a brown and white cat sitting on top of a table")
        << "it looks for the best of several unasked";
    const auto earlier =
        answers({"caption", cat, astronaut(), "--captioner", "photo-captioner-2015", "--json"});
    EXPECT_EQ(earlier.at(0)["caption"]["text"], "a cat laying on top of a bed");
    EXPECT_EQ(earlier.at(1)["caption"]["text"], "a man wearing a red shirt and a tie");
}

// A picture has several labels: objects and attributes.
TEST(PhotoModels, the_classifier_knows_the_cat_and_the_person) {
    const auto lines = answers({"classify", golden_picture(), astronaut(), "--json"});
    auto score_of = [](const nlohmann::json& line, const char* label) {
        for (const auto& one : line["classes"])
            if (one["label"] == label) return one["score"].get<double>();
        return 0.0;
    };
    EXPECT_GT(score_of(lines.at(0), "cat"), 0.7);
    EXPECT_GT(score_of(lines.at(0), "close-up"), 0.7);
    EXPECT_EQ(score_of(lines.at(0), "person"), 0.0);
    EXPECT_GT(score_of(lines.at(1), "person"), 0.9);
}

TEST(PhotoModels, batch_takes_them_unless_all_that_it_sees_is_synthetic) {
    const TempFolder temp;
    const std::string synth = "synth:320x240?seed=1&objects=1&frames=2";
    auto lines_of_batch = [&](Words words) {
        words.insert(words.begin(), "batch");
        words.insert(words.end(), {"-o", temp / "out", "--classifier", "none", "--captioner",
                                   "none", "--no-video", "--quiet"});
        expect_done(saccade_program(on_test_device(words)));
        return parsed(file_content(temp / "out/FRAMES.jsonl"));
    };
    const auto emoji = lines_of_batch({synth});
    ASSERT_EQ(emoji.size(), 2u);
    ASSERT_FALSE(emoji[0]["detections"].empty());
    EXPECT_EQ(emoji[0]["detections"][0]["label"], emoji[0]["truth"]["objects"][0]["label"]);

    const auto both = lines_of_batch({synth, golden_picture()});
    ASSERT_EQ(both.size(), 3u);
    ASSERT_FALSE(both[2]["detections"].empty());
    EXPECT_EQ(both[2]["detections"][0]["label"], "cat");
}

TEST(PhotoModels, inspect_takes_them_for_pictures_and_not_for_the_synthetic_camera) {
    const TempFolder temp;
    auto report = [&](const std::string& source) {
        expect_done(
            saccade_program(on_test_device({"inspect", source, "-o", temp / "out", "--detector",
                                            "none", "--captioner", "none", "--quiet"})));
        return file_content(temp / "out/report.html");
    };
    expect_says(report(golden_picture()), "photo-classifier");
    expect_says(report("synth:64x48"), "emoji-classifier");
}

}  // namespace
}  // namespace saccade
