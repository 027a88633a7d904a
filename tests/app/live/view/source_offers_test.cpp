#include "app/live/view/source_offers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "tests/app/variable.h"
#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

TEST(SourceOffers, are_cameras_in_order_a_picture_the_synthetic_camera_and_what_was_opened) {
    const TempFolder devices;
    for (const char* name : {"video10", "video2", "video", "videodev", "null"})
        devices.write(name, "");
    ::unsetenv("DISPLAY");
    SourceOffers offers({"clip.mp4", "synth:"}, devices.path());
    std::vector<SourceName> sources;
    for (const SourceOffers::Offer& offer : offers.offers()) sources.push_back(offer.source);
    ASSERT_EQ(sources.size(), 5u);
    EXPECT_EQ(sources[0], "2");
    EXPECT_EQ(sources[1], "10");
    EXPECT_TRUE(sources[2].text().ends_with("sample.jpg"));
    EXPECT_EQ(sources[3], "synth:") << "once, though it was opened before";
    EXPECT_EQ(sources[4], "clip.mp4");
}

TEST(SourceOffers, the_last_that_was_opened_comes_first_and_old_ones_go) {
    SourceOffers offers;
    for (int i = 0; i < 20; ++i) offers.add_recent(std::to_string(i) + ".mp4");
    offers.add_recent("15.mp4");
    ASSERT_EQ(offers.recent().size(), SourceOffers::most_recent);
    EXPECT_EQ(offers.recent()[0], "15.mp4");
    EXPECT_EQ(offers.recent()[1], "19.mp4");
    EXPECT_EQ(std::ranges::count(offers.recent(), "15.mp4"), 1);
}

TEST(SourceOffers, a_file_is_remembered_by_its_whole_path) {
    const TempFolder temp;
    const std::string file = temp.write("clip.mp4", "");
    SourceOffers offers;
    offers.add_recent(std::filesystem::relative(file));
    offers.add_recent("synth:");
    offers.add_recent(file);
    EXPECT_EQ(offers.recent(), (std::vector<SourceName>{file, "synth:"}));
}

TEST(SourceOffers, what_is_typed_is_taken_as_it_is_meant) {
    const Variable home("HOME", "/home/somebody");
    for (const char* typed : {"~/a b.mp4", " ~/a b.mp4\t", "file:///home/somebody/a b.mp4",
                              "'/home/somebody/a b.mp4'", "\"/home/somebody/a b.mp4\""})
        EXPECT_EQ(source_meant(typed), "/home/somebody/a b.mp4") << typed;
    for (const char* typed : {"", "0", "synth:", "rtsp://a/b", "~else/x", "'"})
        EXPECT_EQ(source_meant(typed), typed);
}

}  // namespace
}  // namespace saccade
