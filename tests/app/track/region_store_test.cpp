#include "app/track/region_store.h"

#include <gtest/gtest.h>

#include <fstream>

#include "gpu/core/error.h"
#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

Regions door_at(float x) {
    return {.size = Size{640, 480},
            .all = {{.name = "door", .zone = false, .corners = {{x, 0}, {x, 480}}}}};
}

TEST(RegionStores, keep_the_regions_of_each_source_apart) {
    const TempFolder temp;
    const RegionStore store(temp / "config" / "zones");
    EXPECT_TRUE(store.read("0").all.empty());
    store.write("0", door_at(100));
    store.write("rtsp://me:secret@camera/street", door_at(200));
    EXPECT_EQ(store.read("0"), door_at(100));
    EXPECT_EQ(store.read("rtsp://me:secret@camera/street"), door_at(200));
    EXPECT_EQ(read_regions(store.file_of("0")), door_at(100)) << "--zones takes the same file";
    for (const char* url : {"rtsp://me:secret@camera", "http://camera/a?key=secret"})
        EXPECT_EQ(store.file_of(url).string().find("secret"), std::string::npos);
    store.write("0", {});
    EXPECT_FALSE(std::filesystem::exists(store.file_of("0")));
}

TEST(RegionStores, know_a_file_by_whichever_path) {
    const TempFolder temp;
    std::ofstream(temp / "clip.mp4") << "a video";
    const RegionStore store(temp / "zones");
    const std::filesystem::path clip = temp / "clip.mp4";
    EXPECT_EQ(store.file_of(clip.string()),
              store.file_of((clip.parent_path() / "." / "clip.mp4").string()));
    EXPECT_NE(store.file_of(clip.string()), store.file_of("clip.mp4"));
}

TEST(RegionStores, without_a_folder_keep_nothing) {
    const RegionStore store;
    store.write("0", door_at(100));
    EXPECT_TRUE(store.read("0").all.empty());
}

TEST(KeptRegionsTest, come_back_with_their_source) {
    const TempFolder temp;
    const RegionStore store(temp / "zones");
    Regions regions;
    {
        KeptRegions kept(store);
        EXPECT_EQ(kept.follow("0", regions), "");
        EXPECT_TRUE(regions.all.empty());
        regions = door_at(100);
        EXPECT_EQ(kept.follow("0", regions), "");
        EXPECT_EQ(kept.follow("1", regions), "");
        EXPECT_TRUE(regions.all.empty()) << "nothing was drawn on that one";
        regions = door_at(300);
        kept.follow("1", regions);
        kept.follow("0", regions);
        EXPECT_EQ(regions, door_at(100));
    }
    regions = {};
    KeptRegions(store).follow("1", regions);
    EXPECT_EQ(regions, door_at(300)) << "by the next run, too";
}

TEST(KeptRegionsTest, of_a_run_come_back_with_their_source_and_are_not_stored) {
    const TempFolder temp;
    const RegionStore store(temp / "zones");
    store.write("0", door_at(50));
    Regions regions;
    KeptRegions kept(store, KeptRegions::Lifetime::run);
    kept.follow("0", regions);
    EXPECT_EQ(regions, door_at(50)) << "it begins with what is stored";
    regions = door_at(100);
    kept.follow("0", regions);
    kept.follow("1", regions);
    EXPECT_TRUE(regions.all.empty());
    kept.follow("0", regions);
    EXPECT_EQ(regions, door_at(100));
    regions = {};
    kept.follow("0", regions);
    kept.follow("1", regions);
    kept.follow("0", regions);
    EXPECT_TRUE(regions.all.empty()) << "they were deleted";
    EXPECT_EQ(store.read("0"), door_at(50));
}

TEST(KeptRegionsTest, give_way_to_those_of_a_file) {
    const TempFolder temp;
    const RegionStore store(temp / "zones");
    store.write("0", door_at(100));
    Regions regions = door_at(200);  // of --zones
    KeptRegions kept(store);
    kept.follow("0", regions);
    EXPECT_EQ(regions, door_at(200));
    EXPECT_EQ(store.read("0"), door_at(100)) << "as long as nobody changes them";
    regions = door_at(250);
    kept.follow("0", regions);
    EXPECT_EQ(store.read("0"), door_at(250));
}

TEST(KeptRegionsTest, that_are_damaged_are_said_in_one_line) {
    const TempFolder temp;
    const RegionStore store(temp / "zones");
    store.write("0", door_at(100));
    std::ofstream(store.file_of("0")) << "{";
    Regions regions;
    KeptRegions kept(store);
    EXPECT_NE(kept.follow("0", regions).find("no JSON"), std::string::npos);
    EXPECT_TRUE(regions.all.empty());
    EXPECT_EQ(kept.follow("0", regions), "") << "once";
}

}  // namespace
}  // namespace saccade
