// `bench` of both programs.

#include <nlohmann/json.hpp>

#include "tests/app/program.h"
#include "tests/gpu_test.h"
#include "tests/places.h"

namespace saccade {
namespace {

class BenchOfLab : public ::testing::Test {
protected:
    Outcome bench(const Words& options) const {
        Words words{"bench"};
        words.insert(words.end(), options.begin(), options.end());
        return run_program(program, on_test_device(words));
    }

    const char* program = places::lab_program();
    TempFolder temp;
    const std::string model = model_folder(temp, "vit-nano");
};

// Both programs read their command lines on their own; what they run is the same.
class Bench : public BenchOfLab, public ::testing::WithParamInterface<const char*> {
protected:
    Bench() { program = GetParam(); }
    std::string name() const { return std::filesystem::path(program).filename(); }
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
    for (const char* key : {"least_ms", "tflops", "gbps", "of_ceiling", "dispatches", "barriers",
                            "device_mib", "host_mib"})
        EXPECT_GT(entry[key].get<double>(), 0.0) << key;
    EXPECT_GT(report["ceilings"]["tflops"], 0.0);
    EXPECT_GT(report["ceilings"]["gbps"], 0.0);
    EXPECT_TRUE(report["ceilings"]["tflops_of"].is_string());
    EXPECT_TRUE(report["ceilings"]["gbps_of"].is_string());
}

TEST_F(BenchOfLab, text_is_a_table_of_the_models) {
    const Outcome outcome = bench({"--model", model, "--model", model, "--runs", "1"});
    expect_done(outcome);
    const Words lines = lines_of(outcome.out);
    ASSERT_EQ(lines.size(), 5u);  // the device, its ceilings, the header, the models
    expect_says(lines[1], "TFLOP/s (linear ");
    expect_says(lines[2], "median ms");
    EXPECT_TRUE(lines[3].starts_with(model));
}

TEST_P(Bench, an_earlier_report_is_set_beside_the_new_one) {
    const Words options{"--model", model, "--runs", "3", "--no-check", "--json"};
    const Outcome first = bench(options);
    expect_done(first);
    nlohmann::json earlier = nlohmann::json::parse(first.out);
    earlier["models"][0]["median_ms"] = 86400e3;
    const std::string file = temp.write("a day.json", earlier.dump());
    Words compare = options;
    compare.insert(compare.end(), {"--compare", file});
    const Outcome json = bench(compare);
    std::erase(compare, "--json");
    const Outcome text = bench(compare);
    expect_done(text);
    expect_says(text.out, "compared with: " + earlier["device"].get<std::string>());
    expect_says(text.out, "86400000.0000");
    expect_done(json);
    const nlohmann::json entry = nlohmann::json::parse(json.out)["models"][0];
    EXPECT_EQ(entry["was_ms"], 86400e3);
    EXPECT_DOUBLE_EQ(entry["faster"], 86400e3 / entry["median_ms"].get<double>());
}

TEST_P(Bench, what_is_no_earlier_report_gets_one_line_before_anything_is_timed) {
    const std::string whole =
        R"({"device": "d", "driver": "d", "precision": "fp16", "batch": 1, "models": [)";
    const std::pair<const char*, std::string> cases[] = {
        {"not valid JSON", whole},
        {"device", "{}"},
        {"models and ops are empty", whole + "]}"},
        {"model ", whole + R"({"median_ms": 1}]})"},
        {"median_ms", whole + R"({"model": "a"}]})"},
        {"median_ms", whole + R"({"model": "a", "median_ms": -1}]})"},
        {"not an object", whole + "7]}"},
        {"not a list", whole + R"(], "ops": 7})"},
    };
    for (const auto& [part, text] : cases)
        expect_refused(bench({"--compare", temp.write("earlier.json", text)}), 1, part, name());
    expect_refused(bench({"--compare", temp / "nosuch.json"}), 1, "nosuch.json", name());
}

TEST_F(BenchOfLab, models_are_held_against_the_plain_kernels) {
    const Outcome outcome =
        bench({"--model", model, "--runs", "1", "--precision", "fp32", "--json"});
    expect_done(outcome);
    const nlohmann::json entry = nlohmann::json::parse(outcome.out)["models"][0];
    const Features& has = test_device().features();
    EXPECT_EQ(entry.contains("off_plain"), has.cooperative_matrix || has.texel_loads);
    EXPECT_LT(entry.value("off_plain", 0.0), 1e-4);
}

TEST_F(BenchOfLab, architectures_need_no_file) {
    const Outcome outcome = bench({"--model", "deit-tiny-patch16-224", "--runs", "1", "--json"});
    expect_done(outcome);
    const nlohmann::json report = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(report["models"][0]["model"], "deit-tiny-patch16-224");
}

TEST_F(BenchOfLab, captioners_run_from_pixels_to_sixteen_words) {
    const std::string captioner = model_folder(temp, "vit-gpt2-nano");
    const Outcome outcome = bench({"--model", captioner, "--runs", "1", "--batch", "5", "--json"});
    expect_done(outcome);
    const nlohmann::json report = nlohmann::json::parse(outcome.out);
    const nlohmann::json& entry = report["models"][0];
    EXPECT_GT(entry["median_ms"], 0.0);
    EXPECT_GT(entry["dispatches"], 16 * 20) << "two layers of eight dispatches, and the words";
}

TEST_F(BenchOfLab, captioners_run_by_beams_if_these_are_asked_for) {
    const std::string captioner = model_folder(temp, "vit-gpt2-nano");
    const Outcome outcome = bench({"--model", captioner, "--runs", "1", "--beams", "3", "--json"});
    expect_done(outcome);
    const nlohmann::json entry = nlohmann::json::parse(outcome.out)["models"][0];
    EXPECT_EQ(entry["model"], captioner + " by 3 beams");
    EXPECT_GT(entry["median_ms"], 0.0);
}

TEST_F(BenchOfLab, models_that_are_told_in_words_are_told_something) {
    const std::string detector = model_folder(temp, "owlv2-nano");
    const std::string classifier = model_folder(temp, "clip-nano");
    const Outcome outcome =
        bench({"--model", detector, "--model", classifier, "--runs", "1", "--json"});
    expect_done(outcome);
    const nlohmann::json report = nlohmann::json::parse(outcome.out);
    ASSERT_EQ(report["models"].size(), 2u);
    for (const nlohmann::json& entry : report["models"]) EXPECT_GT(entry["median_ms"], 0.0);
}

TEST_F(BenchOfLab, models_that_answer_are_asked_something_and_say_thirty_words) {
    const std::string smolvlm = model_folder(temp, "smolvlm-nano-split");
    const std::string blip = model_folder(temp, "blip-vqa-nano");
    const Outcome outcome = bench({"--model", smolvlm, "--model", blip, "--runs", "1", "--json"});
    expect_done(outcome);
    const nlohmann::json report = nlohmann::json::parse(outcome.out);
    ASSERT_EQ(report["models"].size(), 2u);
    for (const nlohmann::json& entry : report["models"])
        EXPECT_GT(entry["dispatches"], 30 * (test_device().features().chains ? 1 : 20)) << entry;
    expect_refused(bench({"--model", temp / "nosuch"}), 1, "smolvlm-256m", "saccade-lab");
}

TEST_P(Bench, what_cannot_be_done_gets_one_line) {
    expect_refused(bench({"--model", temp / "nosuch"}), 1, "deit-tiny-patch16-224", name());
    expect_refused(bench({"--model", temp.path()}), 1, "is not a model folder", name());
    expect_refused(run_program(program, {"bench", "--model", model, "--device", "nosuch"}), 1,
                   "saccade devices", name());
}

TEST(BenchOps, are_checked_and_timed) {
    const Outcome outcome = lab_program(on_test_device({"bench", "--ops", "--json"}));
    expect_done(outcome);
    const nlohmann::json report = nlohmann::json::parse(outcome.out);
    EXPECT_TRUE(report["models"].empty()) << "only those that are named";
    EXPECT_GE(report["ops"].size(), 8u);
    for (const nlohmann::json& entry : report["ops"]) {
        EXPECT_LT(entry["off_plain"], 1e-2) << entry;
        EXPECT_GT(entry["median_ms"], 0.0) << entry;
        EXPECT_EQ(entry["dispatches"], 1) << entry;
        EXPECT_GT(entry["gbps"], 0.0) << entry;
    }
}

INSTANTIATE_TEST_SUITE_P(Programs, Bench,
                         ::testing::Values(places::program(), places::lab_program()),
                         [](const auto& test) {
                             return test.param == std::string(places::program()) ? "saccade"
                                                                                 : "lab";
                         });

}  // namespace
}  // namespace saccade
