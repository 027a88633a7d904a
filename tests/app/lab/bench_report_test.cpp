#include "app/lab/bench_report.h"

#include <nlohmann/json.hpp>

#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

BenchEntry entry(const std::string& name, double ms, double flops, uint64_t bytes) {
    BenchEntry e;
    e.name = name;
    e.ms = {ms, ms / 2, ms * 2, 7};
    e.flops = flops;
    e.counts = {1, 0, bytes};
    return e;
}

BenchReport report() {
    BenchReport r;
    r.device = "a device";
    r.driver = "a driver";
    r.precision = "fp16";
    r.batch = 2;
    r.ceilings = {4e12, 1e11, "linear 8x8x8", "add 16x16"};
    r.models = {entry("a model", 2, 4e9, 1000)};
    r.ops = {entry("an operation", 1, 1e6, 50'000'000)};
    return r;
}

TEST(BenchReport, the_median_is_that_of_the_sorted_runs) {
    const Timing t = summarize({5, 1, 9, 2, 3});
    EXPECT_EQ(t.median, 3);
    EXPECT_EQ(t.least, 1);
    EXPECT_EQ(t.most, 9);
    EXPECT_EQ(t.runs, 5u);
}

TEST(BenchReport, the_part_of_the_ceiling_is_that_of_what_limits) {
    const BenchReport r = report();
    EXPECT_DOUBLE_EQ(r.models[0].of_ceiling(r.ceilings), 0.5) << "2 of 4 TFLOP/s";
    EXPECT_DOUBLE_EQ(r.ops[0].of_ceiling(r.ceilings), 0.5) << "50 of 100 GB/s";
}

TEST(BenchReport, is_read_back_from_its_own_json) {
    const TempFolder temp;
    const EarlierReport earlier =
        read_earlier_report(temp.write("report.json", as_json(report(), nullptr)));
    EXPECT_EQ(earlier.heading, "a device, a driver, fp16, batch 2");
    EXPECT_EQ(earlier.models, (std::map<std::string, double>{{"a model", 2}}));
    EXPECT_EQ(earlier.ops, (std::map<std::string, double>{{"an operation", 1}}));
}

TEST(BenchReport, compares_what_both_have_and_only_that) {
    const EarlierReport earlier{"the day before", {{"a model", 3}, {"gone", 1}}, {}};
    const auto json = nlohmann::json::parse(as_json(report(), &earlier));
    EXPECT_EQ(json["compared_with"], "the day before");
    EXPECT_EQ(json["models"].size(), 1u);
    EXPECT_EQ(json["models"][0]["was_ms"], 3);
    EXPECT_EQ(json["models"][0]["faster"], 1.5);
    EXPECT_FALSE(json["ops"][0].contains("was_ms"));
    const std::string table = as_table(report(), &earlier);
    EXPECT_NE(table.find("3.0000   1.50x\n"), std::string::npos) << table;
    EXPECT_NE(table.find("-       -\n"), std::string::npos) << table;
}

}  // namespace
}  // namespace saccade
