#include "app/live/wall/source_list.h"

#include <gtest/gtest.h>

#include "gpu/core/error.h"
#include "tests/app/program.h"
#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

SourceList list_of(const std::vector<std::string>& named, size_t most = 64) {
    return sources_from(named, most);
}

TEST(SourceListTest, a_single_source_has_no_name_and_is_opened_as_it_was_named) {
    const SourceList list = list_of({"rtsp://camera/?a=b"});
    ASSERT_EQ(list.sources.size(), 1u);
    EXPECT_EQ(list.sources[0].name, "");
    EXPECT_EQ(list.sources[0].source, "rtsp://camera/?a=b");
}

TEST(SourceListTest, sources_are_called_after_what_they_show_and_told_apart) {
    const SourceList list = list_of({"synth:", "synth:", "yard = rtsp://camera/?a=b", "0"});
    ASSERT_EQ(list.sources.size(), 4u);
    EXPECT_NE(list.sources[0].name, list.sources[1].name);
    EXPECT_EQ(list.sources[2].name, "yard");
    EXPECT_EQ(list.sources[2].source, "rtsp://camera/?a=b");
    EXPECT_TRUE(list.troubles.empty());
}

TEST(SourceListTest, a_list_names_sources_and_finds_their_files_and_zones_beside_it) {
    const TempFolder folder;
    folder.write("clip.mp4", "a video");
    folder.write("door.zones.json",
                 R"({"zones": [{"name": "mat", "corners": [[0, 0], [9, 0], [9, 9]]}]})");
    folder.write("cameras.txt", "# the house\n\n  door = synth:  \r\nclip = clip.mp4\n");
    const SourceList list = list_of({"@" + (folder / "cameras.txt").string()});
    ASSERT_EQ(list.sources.size(), 2u);
    EXPECT_EQ(list.sources[0].name, "door");
    EXPECT_EQ(list.sources[0].source, "synth:");
    ASSERT_EQ(list.sources[0].regions.all.size(), 1u);
    EXPECT_EQ(list.sources[0].regions.all[0].name, "mat");
    EXPECT_EQ(list.sources[1].source.text(), (folder / "clip.mp4").string());
    EXPECT_TRUE(list.sources[1].regions.all.empty());
}

TEST(SourceListTest, what_cannot_be_read_is_told_in_one_line_and_the_others_go_on) {
    const TempFolder folder;
    folder.write("bad.zones.json", "{");
    folder.write(
        "list",
        "a = synth:\na = synth:1\nb =\nc = no-such-file.mp4\n\xff\xfe\nbad = synth:\nd = 1\n");
    const SourceList list = list_of({"@" + (folder / "list").string()});
    ASSERT_EQ(list.sources.size(), 2u);
    EXPECT_EQ(list.sources[0].name, "a");
    EXPECT_EQ(list.sources[1].name, "d");
    ASSERT_EQ(list.troubles.size(), 5u);
    expect_says(list.troubles[0], "'a' is there twice");
    expect_says(list.troubles[0], "list:2");
    expect_says(list.troubles[1], "list:3");
    expect_says(list.troubles[2], "no-such-file.mp4");
    expect_says(list.troubles[3], "list:5");
    expect_says(list.troubles[4], "bad.zones.json");
    for (const std::string& line : list.troubles) EXPECT_EQ(line.find('\n'), line.npos);
}

TEST(SourceListTest, of_two_with_one_name_it_says_which_is_left_out) {
    const SourceList list = list_of({"a=synth:", "a=synth:?seed=2", "=synth:", "b="});
    ASSERT_EQ(list.sources.size(), 1u);
    EXPECT_EQ(list.sources[0].source, "synth:");
    ASSERT_EQ(list.troubles.size(), 3u);
    EXPECT_EQ(list.troubles[0], "the name 'a' is there twice; source 2 ('a') is left out");
    expect_says(list.troubles[1], "no name before '='; source 3");
    EXPECT_EQ(list.troubles[2], "there is no source after '='; source 4 ('b') is left out");
}

TEST(SourceListTest, more_than_there_is_room_for_are_left_out) {
    const SourceList list = list_of(std::vector<std::string>(65, "synth:"));
    EXPECT_EQ(list.sources.size(), 64u);
    ASSERT_EQ(list.troubles.size(), 1u);
    expect_says(list.troubles[0], "65 sources are too many");
}

TEST(SourceListTest, a_list_that_names_nothing_is_an_error) {
    const TempFolder folder;
    folder.write("empty", "# nothing\n");
    expect_says(error_of([&] { list_of({"@" + (folder / "empty").string()}); }), "no source");
    expect_says(error_of([&] { list_of({"@/no/such/list"}); }), "/no/such/list");
}

}  // namespace
}  // namespace saccade
