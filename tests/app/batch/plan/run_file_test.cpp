#include "app/batch/plan/run_file.h"

#include <thread>

#include "app/batch/lines/manifest.h"
#include "tests/app/batch/plan/plans.h"
#include "tests/app/sources/clips.h"
#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

namespace fs = std::filesystem;

TEST(RunFile, what_is_written_down_is_read_again) {
    BatchPlan plan = plan_with({300, std::nullopt}, 7);
    plan.range = {2, 500, 3};
    plan.sources[0].source = {"a.mp4"};
    plan.sources[1].source = {"b", {"b/1.png", "b/2.png"}};
    plan.sources[1].error = "no";
    plan.sources[0].rate = 30000.0 / 1001;
    plan.source_options.rate = 2;
    plan.coco = true;
    plan.track = plan.mot = true;
    plan.settings = {{"threshold", 0.25}};
    const auto json = json_of(plan);
    EXPECT_EQ(json_of(plan_from(nlohmann::ordered_json::parse(json.dump()))), json);

    const TempFolder temp;
    const RunFile run{.plan = plan, .numbering = {64, 1}};
    const RunFile read = run.publish(temp / "run.json");
    EXPECT_EQ(json_of(read.plan), json);
    EXPECT_EQ(read.numbering.shards, 64u);
    EXPECT_EQ(read.numbering.first_task, 1u);
    EXPECT_EQ(read.checksum, checksum_of(temp / "run.json").value().sha256);
    EXPECT_FALSE(RunFile::read(temp / "nothing.json"));
}

TEST(RunFile, numbers_that_count_nothing_are_refused) {
    const auto good = json_of(plan_with({300}, 7));
    for (const char* key : {"from", "to", "stride", "piece"})
        for (const char* number : {"18446744073709571615", "1e300", "-1", "0.5", "\"1\""}) {
            auto json = good;
            json[key] = nlohmann::ordered_json::parse(number);
            expect_says(error_of([&] { plan_from(json); }), "run.json in this folder is damaged");
        }
    for (const char* size : {"[1e300, 4]", "[4, -4]", "[4000000000, 4]"}) {
        auto json = good;
        json["sources"][0]["size"] = nlohmann::ordered_json::parse(size);
        expect_says(error_of([&] { plan_from(json); }), "run.json in this folder is damaged");
    }
    const TempFolder temp;
    for (const char* text : {"", "7", "{}", R"({"shards": 2000000, "first_task": 0})",
                             R"({"shards": 2, "first_task": -1})"})
        expect_says(error_of([&] { RunFile::read(temp.write("run.json", text)); }),
                    "run.json in this folder is damaged");
}

TEST(RunFile, outputs_whose_name_leads_out_of_the_folder_are_refused) {
    auto json = json_of(plan_with({300}, 7));
    for (const char* name : {".", "..", "../clip", "a/b"}) {
        json["sources"][0]["name"] = name;
        expect_says(error_of([&] { plan_from(json); }), "run.json in this folder is damaged");
    }
    json["sources"][0]["name"] = "..clip";
    EXPECT_EQ(plan_from(json).sources[0].name, "..clip");
}

TEST(RunFile, says_how_a_run_differs_from_an_earlier_one) {
    BatchPlan before = plan_with({300, 60, 9}, 7);
    before.settings = {{"threshold", 0.25}, {"zones", {{"lines", 1}}}};
    BatchPlan now = before;
    for (PlannedSource& source : now.sources) source.frames = std::nullopt;  // not examined
    EXPECT_EQ(difference(before, now), "");
    now.settings["threshold"] = 0.5;
    EXPECT_EQ(difference(before, now), "with another 'threshold'");
    now.settings = before.settings;
    now.settings["zones"]["lines"] = 2;
    EXPECT_EQ(difference(before, now), "with another 'lines'");
    now.settings = before.settings;
    now.settings.erase("zones");
    EXPECT_EQ(difference(before, now), "with another 'zones'");
    now.settings = before.settings;
    now.source_options.rate = 5;
    EXPECT_EQ(difference(before, now), "with another 'rate'");
    now.source_options.rate = 0;
    std::swap(now.sources[0], now.sources[2]);
    EXPECT_EQ(difference(before, now), "with its sources in another order");
    now.sources[1].source.name = "new.mp4";
    EXPECT_EQ(difference(before, now), "without 'new.mp4'");
    now.sources.erase(now.sources.begin() + 1);
    EXPECT_EQ(difference(before, now), "with '2.mp4' as well");
    now.sources[0].source.pictures = {"new.png"};
    EXPECT_EQ(difference(before, now), "without 'new.png'");
}

TEST(RunFile, of_many_that_plan_at_the_same_time_the_first_decides_for_all) {
    const TempFolder temp;
    constexpr size_t tasks = 8;
    std::vector<std::string> seen(tasks);
    {
        std::vector<std::jthread> threads;
        for (size_t i = 0; i < tasks; ++i)
            threads.emplace_back([&, i] {
                const RunFile run{.plan = plan_with({300 + i}, 7), .numbering = {64}};
                seen[i] = run.publish(temp / "run.json").checksum;
            });
    }
    for (const std::string& checksum : seen) EXPECT_EQ(checksum, seen[0]);
    EXPECT_EQ(std::distance(fs::directory_iterator(temp.path()), {}), 1)
        << "nothing is left beside";
}

}  // namespace
}  // namespace saccade
