#include "app/batch/plan/plan.h"

#include "tests/app/pictures.h"
#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

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

TEST(Plan, folders_globs_and_lists_become_videos_and_pictures) {
    const TempFolder temp;
    for (const char* name : {"clip10.mp4", "clip9.mp4", "a.png", "b.jpg", "notes.txt"})
        temp.write(name, "x");
    const std::string folder = temp.path().string();
    auto texts = [](const std::vector<BatchSource>& sources) {
        std::vector<std::string> all;
        for (const BatchSource& source : sources)
            all.push_back(std::filesystem::path(source.name.text()).filename().string() + ":" +
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

TEST(Plan, many_files_of_one_name_are_numbered_as_fast_as_others) {
    std::vector<BatchSource> sources(20'000);
    for (size_t i = 0; i < sources.size(); ++i)
        sources[i].name = "camera" + std::to_string(i) + "/video.mp4";
    const std::vector<std::string> names = output_names(sources);
    EXPECT_EQ(names[0], "video");
    EXPECT_EQ(names[1], "video-2");
    EXPECT_EQ(names.back(), "video-20000");
}

TEST(Plan, a_file_that_is_named_twice_is_refused) {
    expect_says(error_of([] { make_plan({"a.mp4", "b.mp4", "a.mp4"}, {}, {}); }), "named twice");
}

}  // namespace
}  // namespace saccade
