#include "app/batch/plan/examine.h"

#include "tests/app/pictures.h"
#include "tests/app/sources/clips.h"
#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

BatchPlan examined(const std::vector<std::string>& words, const FrameRange& range = {}) {
    BatchPlan plan = make_plan(words, range, {});
    examine(plan, true);
    return plan;
}

TEST(Examine, what_cannot_be_done_is_known_beforehand) {
    const TempFolder temp;
    const std::string text = temp.write("notes.mp4", "no video at all").string();
    const BatchPlan plan =
        examined({text, "nosuch.mp4", "0", "rtsp://host/a", "synth:", "synth:?frames=9"});
    EXPECT_NE(plan.sources[0].error.find("is no video"), std::string::npos);
    EXPECT_NE(plan.sources[1].error.find("there is no file"), std::string::npos);
    EXPECT_NE(plan.sources[2].error.find("is live"), std::string::npos);
    EXPECT_NE(plan.sources[3].error.find("is live"), std::string::npos);
    EXPECT_NE(plan.sources[4].error.find("--limit"), std::string::npos);
    EXPECT_EQ(plan.sources[5].error, "");
    EXPECT_EQ(plan.sources[5].frames, 9u);
    EXPECT_NE(examined({"synth:?frames=9"}, {.first = 9}).sources[0].error.find("--from"),
              std::string::npos);
}

TEST(Examine, what_cannot_be_read_is_named_and_takes_no_name_away) {
    const TempFolder temp;
    for (const char* name : {"bad", "bad/one.jpg", "bad/two.jpg"})
        if (std::string(name) == "bad")
            std::filesystem::create_directory(temp / name);
        else
            temp.write(name, "no picture");
    const BatchPlan folder = examined({temp / "bad"});
    for (const char* name : {"one.jpg", "two.jpg"})
        EXPECT_NE(folder.sources[0].error.find(name), std::string::npos) << name;
    temp.write("synth.mp4", "no video");
    const BatchPlan plan = examined({temp / "synth.mp4", "synth:?frames=2"});
    EXPECT_EQ(plan.sources[1].name, "synth");
    EXPECT_NE(plan.sources[0].name, "synth");
}

TEST(Examine, many_sources_keep_their_order) {
    const TempFolder temp;
    const std::string clip = make_clip(temp, "0.mp4", 3);
    std::vector<std::string> words{clip};
    for (int i = 1; i < 40; ++i) {
        words.push_back(temp / (std::to_string(i) + ".mp4"));
        if (i % 3)
            std::filesystem::copy_file(clip, words.back());
        else
            temp.write(std::to_string(i) + ".mp4", "no video");
    }
    const BatchPlan plan = examined(words);
    for (size_t i = 0; i < words.size(); ++i) {
        EXPECT_EQ(plan.sources[i].source.name.text(), words[i]);
        EXPECT_EQ(plan.sources[i].name, std::to_string(i));
        EXPECT_EQ(plan.sources[i].error.empty(), i == 0 || i % 3 != 0) << i;
        if (plan.sources[i].error.empty()) {
            EXPECT_EQ(plan.sources[i].frames, 3u) << i;
        }
    }
}

TEST(Examine, a_video_that_is_another_one_by_now_is_refused) {
    const TempFolder temp;
    const std::string clip = make_clip(temp, "clip.mp4", 3);
    const BatchPlan plan = examined({clip});
    auto check = [&] {
        check_unchanged(plan, plan.sources[0], plan.sources[0].source.open({})->traits());
    };
    check();
    std::filesystem::rename(make_clip(temp, "longer.mp4", 4), clip);
    expect_says(error_of(check), "has changed since the run was planned");
}

}  // namespace
}  // namespace saccade
