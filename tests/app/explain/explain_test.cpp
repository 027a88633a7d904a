#include <nlohmann/json.hpp>

#include "app/io/picture_file.h"
#include "models/files/json.h"
#include "tests/app/program.h"

namespace saccade {
namespace {

Outcome explain(const Words& words) {
    return saccade_program(on_test_device(Words{"explain"} + words));
}

// One model, and none of the others.
Words only(const std::string& option, const std::string& folder) {
    Words words{"--classifier", "none", "--detector", "none", "--captioner", "none"};
    words[size_t(std::ranges::find(words, option) - words.begin()) + 1] = folder;
    return words;
}

TEST(ExplainCommandTest, prints_the_object_that_the_papers_describe_and_writes_a_sheet) {
    const TempFolder out;
    const std::string model = model_folder(out, "vit-nano");
    const Outcome outcome = explain(Words{golden_picture(), "--json", "-o", out.path().string()} +
                                    only("--classifier", model));
    expect_done(outcome);
    const Json line = Json::parse(outcome.out);
    EXPECT_EQ(line["image"], golden_picture());
    EXPECT_EQ(line["target"]["kind"], "class");
    EXPECT_NEAR(line["target"]["score"].get<double>(), 0.18647, 1e-3) << "the golden's likeliest";
    EXPECT_EQ(line["grid"], Json({4, 4}));
    ASSERT_EQ(line["cause"].size(), 4u);
    EXPECT_EQ(line["cause"][0].size(), 4u);
    ASSERT_EQ(line["heads"].size(), 3u);
    EXPECT_EQ(line["heads"][2].size(), 4u);
    EXPECT_GE(line["knock_outs"].get<int>(), 4);
    for (const char* method : {"cause", "attention", "rollout"})
        for (const char* area : {"deletion", "insertion", "random_deletion", "random_insertion"})
            EXPECT_GT(line["meter"][method][area].get<double>(), 0) << method << " " << area;
    // The peak is the middle of the largest cell.
    double most = -1e9;
    for (const Json& row : line["cause"])
        for (const Json& cell : row) most = std::max(most, cell.get<double>());
    const PictureFile file(golden_picture());
    const auto column = size_t(line["peak"][0].get<double>() * 4 / file.view().width);
    const auto row = size_t(line["peak"][1].get<double>() * 4 / file.view().height);
    EXPECT_EQ(line["cause"][row][column].get<double>(), most);
    const PictureFile sheet(out / "chelsea-explained.png");
    EXPECT_GT(sheet.view().width, 900u);
}

TEST(ExplainCommandTest, explains_a_detection_without_the_meter) {
    const TempFolder temp;
    const std::string detector = model_folder(temp, "yolos-nano");
    const Outcome found = explain(
        Words{golden_picture(), "--json", "--map-only", "--detection", "1", "--threshold", "0"} +
        only("--detector", detector));
    expect_done(found);
    const Json box = Json::parse(found.out);
    EXPECT_EQ(box["target"]["kind"], "detection");
    EXPECT_EQ(box["target"]["box"].size(), 4u);
    EXPECT_FALSE(box.contains("meter"));
}

TEST(ExplainCommandTest, a_target_that_is_not_there_is_one_line_and_the_next_picture_goes_on) {
    const TempFolder temp;
    const std::string model = model_folder(temp, "vit-nano");
    const Outcome missing =
        explain(Words{golden_picture(), "--target", "zeppelin"} + only("--classifier", model));
    expect_refused(missing, 1, "there is no 'zeppelin'");
    const Outcome second =
        explain(Words{"no-such.png", golden_picture(), "--map-only"} + only("--classifier", model));
    EXPECT_EQ(second.code, 1);
    EXPECT_NE(second.err.find("no-such.png"), std::string::npos);
    EXPECT_NE(second.out.find("class '"), std::string::npos);
    expect_refused(explain({golden_picture(), "--target", "cat", "--word", "1"}), 2, "--word");
    expect_refused(explain(Words{golden_picture(), "--word", "1"} + only("--classifier", model)), 1,
                   "--captioner");
}

TEST(ExplainCommandTest, cells_are_tokens_that_are_dropped_or_hidden_where_that_has_a_meaning) {
    const TempFolder temp;
    const Words vit = only("--classifier", model_folder(temp, "vit-nano"));
    // In half precision this one says that its features outgrow it.
    const Words detr =
        only("--detector", model_folder(temp, "detr-basic")) + Words{"--precision", "fp32"};
    const auto line_of = [&](const Words& model, const Words& more) {
        const Outcome outcome =
            explain(Words{golden_picture(), "--json", "--whole"} + more + model);
        expect_done(outcome);
        return Json::parse(outcome.out);
    };
    const Json blank = line_of(vit, {"--map-only"});
    const Json drop = line_of(vit, {"--cells", "drop"});
    EXPECT_EQ(drop["grid"], blank["grid"]);
    EXPECT_EQ(drop["target"]["score"], blank["target"]["score"]);
    EXPECT_NE(drop["cause"], blank["cause"]);
    EXPECT_GT(drop["meter"]["attention"]["deletion"].get<double>(), 0);
    EXPECT_EQ(drop["layers"], Json({"encoder 0", "encoder 1", "encoder 2"}));
    const Json hide =
        line_of(detr, {"--cells", "hide", "--map-only", "--detection", "0", "--threshold", "0"});
    EXPECT_EQ(hide["grid"], Json({7, 5})) << "cells of the map that the decoder sees";
    expect_refused(explain(Words{golden_picture(), "--cells", "hide"} + vit), 1,
                   "knock cells out to blank");
    expect_refused(explain({golden_picture(), "--cells", "burn"}), 2, "--cells");
}

}  // namespace
}  // namespace saccade
