#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

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

// Frames a second of each row between the table's head and "all together".
std::map<std::string, double> rates_of_stages(const std::string& table) {
    std::map<std::string, double> rates;
    std::istringstream lines(table);
    std::string line, stage;
    while (std::getline(lines, line) && !line.starts_with("stage alone")) {
    }
    while (std::getline(lines, line) && !line.starts_with("all together")) {
        std::istringstream row(line);
        row >> stage;
        row >> rates[stage];
    }
    return rates;
}

TEST(StageRates, models_are_stages_and_the_slowest_is_named) {
    const Outcome outcome =
        saccade_program(on_test_device({"bench", "--pipeline", "synth:64x48@30", "--seconds", "0.1",
                                        "--quiet", "--captioner", "none", "--detector", "none"}));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out.find("\ndetector "), std::string::npos);
    const std::map<std::string, double> rates = rates_of_stages(outcome.out);
    EXPECT_TRUE(rates.contains("classifier")) << outcome.out;
    ASSERT_EQ(rates.size(), 6u) << outcome.out;
    // Which one it is depends on the load of the machine.
    const std::string naming = "the slowest stage is ";
    const size_t named = outcome.out.find(naming);
    ASSERT_NE(named, std::string::npos) << outcome.out;
    std::string slowest;
    std::istringstream(outcome.out.substr(named + naming.size())) >> slowest;
    ASSERT_TRUE(rates.contains(slowest)) << outcome.out;
    for (const auto& [stage, rate] : rates) EXPECT_LE(rates.at(slowest), rate) << stage;
}

TEST(StageRates, what_cannot_be_read_gets_one_line) {
    expect_refused(saccade_program(on_test_device({"bench", "--pipeline", "nowhere.mp4"})), 1,
                   "nowhere.mp4");
    expect_refused(saccade_program({"bench", "clip.mp4"}), 2, "--pipeline");
}

}  // namespace
}  // namespace saccade
