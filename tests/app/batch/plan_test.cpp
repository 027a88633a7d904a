#include "app/batch/plan.h"

#include "tests/app/pictures.h"
#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

BatchPlan plan_with(std::vector<std::optional<uint64_t>> frames, uint64_t piece) {
    BatchPlan plan;
    plan.piece = piece;
    for (const auto& count : frames) {
        plan.sources.emplace_back();
        plan.sources.back().frames = count;
    }
    return plan;
}

TEST(Plan, a_range_counts_every_nth_frame) {
    const FrameRange range{.first = 3, .end = 20, .stride = 4};  // 3 7 11 15 19
    EXPECT_EQ(range.count(100), 5u);
    EXPECT_EQ(range.count(19), 4u);
    EXPECT_EQ(range.count(3), 0u);
    EXPECT_EQ(range.index(0), 3u);
    EXPECT_EQ(range.index(4), 19u);
    EXPECT_EQ(range.index(5), 20u);
    EXPECT_EQ(range.index(UINT64_MAX), 20u);
    EXPECT_EQ(range.number(11), 2u);
}

TEST(Plan, shares_cover_every_piece_once_and_are_of_one_size) {
    const BatchPlan plan = plan_with({300, 1, std::nullopt, 59, 61, 6000}, 60);
    const uint64_t pieces = 5 + 1 + 1 + 1 + 2 + 100;
    for (uint32_t count : {1u, 2u, 3u, 7u, 50u, 200u}) {
        std::vector<std::vector<int>> done;
        for (const PlannedSource& source : plan.sources) done.emplace_back(plan.pieces_of(source));
        for (uint32_t i = 0; i < count; ++i) {
            uint64_t mine = 0;
            for (const PieceRange& range : ranges_of(plan, {i, count})) {
                auto& of_source = done[range.source];
                const uint64_t end = std::min<uint64_t>(range.end_piece, of_source.size());
                EXPECT_LT(range.first_piece, end);
                // The last piece of a source extends to its real end.
                EXPECT_EQ(range.end_piece == UINT64_MAX, end == of_source.size());
                for (uint64_t p = range.first_piece; p < end; ++p, ++mine) ++of_source[p];
            }
            EXPECT_LE(mine, pieces / count + 1);
            EXPECT_GE(mine, pieces / count);
        }
        for (const auto& of_source : done)
            EXPECT_TRUE(std::ranges::all_of(of_source, [](int n) { return n == 1; }));
    }
}

TEST(Plan, what_is_written_down_is_read_again) {
    BatchPlan plan = plan_with({300, std::nullopt}, 7);
    plan.range = {2, 500, 3};
    plan.sources[0].source = {"a.mp4"};
    plan.sources[1].source = {"b", {"b/1.png", "b/2.png"}};
    plan.sources[1].error = "no";
    plan.sources[0].rate = 30000.0 / 1001;
    plan.coco = true;
    plan.track = plan.mot = true;
    plan.settings = {{"threshold", 0.25}};
    const auto json = json_of(plan);
    EXPECT_EQ(json_of(plan_from(nlohmann::ordered_json::parse(json.dump()))), json);
}

TEST(Plan, numbers_that_count_nothing_are_refused) {
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
}

TEST(Plan, numbers_that_are_drawn_are_not_cut_within_a_source) {
    BatchPlan plan = plan_with({300, 60, 6000, 61}, 60);
    plan.track = true;
    for (uint32_t count : {1u, 2u, 3u, 50u}) {
        std::vector<int> done(plan.sources.size());
        for (uint32_t i = 0; i < count; ++i)
            for (const PieceRange& range : ranges_of(plan, {i, count})) {
                ++done[range.source];
                EXPECT_EQ(range.first_piece, 0u);
                EXPECT_EQ(range.end_piece, UINT64_MAX);
            }
        EXPECT_EQ(done, (std::vector{1, 1, 1, 1})) << count;
    }
    plan.video = false;  // nothing is drawn: merge assigns the track numbers
    EXPECT_GT(ranges_of(plan, {1, 2}).back().source, 1u);
    EXPECT_GT(ranges_of(plan, {1, 2}).front().first_piece, 0u);
}

TEST(Plan, a_shard_is_counted_from_0) {
    EXPECT_EQ(parse_shard("0/1").count, 1u);
    EXPECT_EQ(parse_shard("7/8").index, 7u);
    for (const char* text : {"8/8", "1", "/8", "1/", "-1/8", "1/8x", "a/b", ""})
        expect_says(error_of([&] { parse_shard(text); }), "from 0/N to N-1/N");
}

TEST(Plan, folders_globs_and_lists_become_videos_and_pictures) {
    const TempFolder temp;
    for (const char* name : {"clip10.mp4", "clip9.mp4", "a.png", "b.jpg", "notes.txt"})
        temp.write(name, "x");
    const std::string folder = temp.path().string();
    auto texts = [](const std::vector<BatchSource>& sources) {
        std::vector<std::string> all;
        for (const BatchSource& source : sources)
            all.push_back(std::filesystem::path(source.text).filename().string() + ":" +
                          std::to_string(source.pictures.size()));
        return all;
    };
    using Texts = std::vector<std::string>;
    const std::string own = temp.path().filename().string();
    EXPECT_EQ(texts(find_sources({folder})), (Texts{"clip9.mp4:0", "clip10.mp4:0", own + ":2"}));
    EXPECT_EQ(texts(find_sources({folder + "/*.mp4"})), (Texts{"clip9.mp4:0", "clip10.mp4:0"}));
    EXPECT_EQ(texts(find_sources({folder + "/[ab].*"})), (Texts{"[ab].*:2"}));
    // As a shell expands a glob.
    EXPECT_EQ(texts(find_sources({folder + "/a.png", folder + "/b.jpg", folder + "/clip9.mp4",
                                  folder + "/a.png"})),
              (Texts{"a.png:2", "clip9.mp4:0", "a.png:1"}));
    temp.write("list", "# of today\n" + folder + "/clip9.mp4\r\n\nsynth:?frames=3\n");
    EXPECT_EQ(texts(find_sources({"@" + folder + "/list", "nosuch.mp4", "*.nosuch"})),
              (Texts{"clip9.mp4:0", "synth:?frames=3:0", "nosuch.mp4:0", "*.nosuch:0"}));
    expect_says(error_of([&] { find_sources({"@" + folder + "/nolist"}); }), "cannot be read");
    temp.write("empty", "\n");
    expect_says(error_of([&] { find_sources({"@" + folder + "/empty"}); }), "names no source");
}

TEST(Plan, no_two_sources_write_the_same_file) {
    EXPECT_EQ(
        output_names({{"x/clip.mp4"},
                      {"y/clip.avi"},
                      {"clip-2.mp4"},
                      {"synth:"},
                      {"synth:a"},
                      {"x/*.png", {"x/1.png"}},
                      {"x/1.png", {"x/1.png", "x/2.png"}}}),
        (std::vector<std::string>{"clip", "clip-2", "clip-2-2", "synth", "synth-2", "x", "x-2"}));
}

TEST(Plan, what_cannot_be_done_is_known_beforehand) {
    const TempFolder temp;
    const std::string text = temp.write("notes.mp4", "no video at all").string();
    const BatchPlan plan =
        make_plan({text, "nosuch.mp4", "0", "rtsp://host/a", "synth:", "synth:?frames=9"}, {}, {});
    EXPECT_NE(plan.sources[0].error.find("is no video"), std::string::npos);
    EXPECT_NE(plan.sources[1].error.find("there is no file"), std::string::npos);
    EXPECT_NE(plan.sources[2].error.find("is live"), std::string::npos);
    EXPECT_NE(plan.sources[3].error.find("is live"), std::string::npos);
    EXPECT_NE(plan.sources[4].error.find("--limit"), std::string::npos);
    EXPECT_EQ(plan.sources[5].error, "");
    EXPECT_EQ(plan.sources[5].frames, 9u);
    EXPECT_NE(make_plan({"synth:?frames=9"}, {.first = 9}, {}).sources[0].error.find("--from"),
              std::string::npos);
    expect_says(error_of([&] { make_plan({text, text}, {}, {}); }), "named twice");
}

TEST(Plan, what_cannot_be_read_is_named_and_takes_no_name_away) {
    const TempFolder temp;
    for (const char* name : {"bad", "bad/one.jpg", "bad/two.jpg"})
        if (std::string(name) == "bad")
            std::filesystem::create_directory(temp / name);
        else
            temp.write(name, "no picture");
    const BatchPlan folder = make_plan({temp / "bad"}, {}, {});
    for (const char* name : {"one.jpg", "two.jpg"})
        EXPECT_NE(folder.sources[0].error.find(name), std::string::npos) << name;
    temp.write("synth.mp4", "no video");
    const BatchPlan plan = make_plan({temp / "synth.mp4", "synth:?frames=2"}, {}, {});
    EXPECT_EQ(plan.sources[1].name, "synth");
    EXPECT_NE(plan.sources[0].name, "synth");
}

}  // namespace
}  // namespace saccade
