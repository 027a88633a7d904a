#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/app/program.h"

namespace saccade {
namespace {

TEST(StageRates, every_stage_has_a_rate_and_all_together_have_one) {
    const Outcome outcome = saccade_program(on_test_device(
        {"bench", "--pipeline", "synth:64x48@30", "--seconds", "0.1", "--captioner", "none",
         "--classifier", "none", "--detector", "none", "--json", "--quiet"}));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const auto report = nlohmann::ordered_json::parse(outcome.out);
    EXPECT_EQ(report["source"], "synth:64x48@30");
    EXPECT_EQ(report["width"], 64);
    EXPECT_EQ(report["height"], 48);
    Words stages;
    for (const auto& [stage, rate] : report["frames_per_second"].items()) {
        stages.push_back(stage);
        EXPECT_GT(rate, 0) << stage;
    }
    EXPECT_EQ(stages, (Words{"decode", "upload", "draw", "readback", "encode"}));
    EXPECT_GT(report["all"], 0);
    EXPECT_GT(report["all_without_video"], 0);
}

TEST(StageRates, models_are_stages_and_the_slowest_is_named) {
    const Outcome outcome =
        saccade_program(on_test_device({"bench", "--pipeline", "synth:64x48@30", "--seconds", "0.1",
                                        "--quiet", "--captioner", "none", "--detector", "none"}));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    expect_says(outcome.out, "\nclassifier ");
    EXPECT_EQ(outcome.out.find("\ndetector "), std::string::npos);
    expect_says(outcome.out, "the slowest stage is classifier\n");
}

TEST(StageRates, what_cannot_be_read_gets_one_line) {
    expect_refused(saccade_program(on_test_device({"bench", "--pipeline", "nowhere.mp4"})), 1,
                   "nowhere.mp4");
    expect_refused(saccade_program({"bench", "clip.mp4"}), 2, "--pipeline");
}

}  // namespace
}  // namespace saccade
