// `bench` of both programs.

#include <nlohmann/json.hpp>

#include "tests/app/program.h"

namespace saccade {
namespace {

class Bench : public ::testing::TestWithParam<const char*> {
protected:
    Outcome bench(const Words& options) const {
        Words words{"bench"};
        words.insert(words.end(), options.begin(), options.end());
        return run_program(GetParam(), on_test_device(words));
    }
    std::string name() const { return std::filesystem::path(GetParam()).filename(); }

    TempFolder temp;
    const std::string model = model_folder(temp, "vit-nano");
};

TEST_P(Bench, json_has_the_keys_that_scripts_rely_on) {
    const Outcome outcome =
        bench({"--model", model, "--runs", "3", "--batch", "2", "--precision", "fp16", "--json"});
    expect_done(outcome);
    const nlohmann::json report = nlohmann::json::parse(outcome.out);
    EXPECT_TRUE(report["device"].is_string());
    EXPECT_TRUE(report["driver"].is_string());
    EXPECT_EQ(report["precision"], "fp16");
    EXPECT_EQ(report["batch"], 2);
    ASSERT_EQ(report["models"].size(), 1u);
    const nlohmann::json& entry = report["models"][0];
    EXPECT_EQ(entry["model"], model);
    EXPECT_EQ(entry["runs"], 3);
    EXPECT_LE(entry["least_ms"], entry["median_ms"]);
    EXPECT_LE(entry["median_ms"], entry["most_ms"]);
    for (const char* key :
         {"least_ms", "tflops", "dispatches", "barriers", "device_mib", "host_mib"})
        EXPECT_GT(entry[key].get<double>(), 0.0) << key;
}

TEST_P(Bench, text_is_a_table_of_the_models) {
    const Outcome outcome = bench({"--model", model, "--model", model, "--runs", "1"});
    expect_done(outcome);
    const Words lines = lines_of(outcome.out);
    ASSERT_EQ(lines.size(), 4u);  // the device, the header, the models
    expect_says(lines[1], "median ms");
    EXPECT_TRUE(lines[2].starts_with(model));
}

TEST_P(Bench, architectures_need_no_file) {
    const Outcome outcome = bench({"--model", "deit-tiny-patch16-224", "--runs", "1", "--json"});
    expect_done(outcome);
    const nlohmann::json report = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(report["models"][0]["model"], "deit-tiny-patch16-224");
}

TEST_P(Bench, captioners_run_from_pixels_to_sixteen_words) {
    const std::string captioner = model_folder(temp, "vit-gpt2-nano");
    const Outcome outcome = bench({"--model", captioner, "--runs", "1", "--batch", "2", "--json"});
    expect_done(outcome);
    const nlohmann::json report = nlohmann::json::parse(outcome.out);
    const nlohmann::json& entry = report["models"][0];
    EXPECT_GT(entry["median_ms"], 0.0);
    EXPECT_GT(entry["dispatches"], 16 * 20) << "two layers of eight dispatches, and the words";
}

TEST_P(Bench, what_cannot_be_done_gets_one_line) {
    expect_refused(bench({"--model", temp / "nosuch"}), 1, "deit-tiny-patch16-224", name());
    expect_refused(bench({"--model", temp.path()}), 1, "is not a model folder", name());
    expect_refused(run_program(GetParam(), {"bench", "--model", model, "--device", "nosuch"}), 1,
                   "saccade devices", name());
}

INSTANTIATE_TEST_SUITE_P(Programs, Bench, ::testing::Values(SACCADE_PROGRAM, SACCADE_LAB_PROGRAM),
                         [](const auto& test) {
                             return test.param == std::string(SACCADE_PROGRAM) ? "saccade" : "lab";
                         });

}  // namespace
}  // namespace saccade
