#include "app/live/view/exporter.h"

#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

size_t files_with(const TempFolder& folder, const std::string& ending) {
    size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
        count += entry.path().extension() == ending;
    return count;
}

TEST(Exporter, saves_the_maps_that_are_shown_in_their_shape) {
    const TempFolder folder;
    Exporter exporter(folder.path());
    Session session;
    LiveView view;
    exporter.follow(session, view);
    EXPECT_EQ(exporter.notice(), "");
    session.events.add(SaveMaps{});
    exporter.follow(session, view);
    EXPECT_NE(exporter.notice().find("point at the picture"), std::string::npos);
    EXPECT_EQ(files_with(folder, ".npy"), 0u);

    view.attention.emplace();
    view.attention->geometry.grid = {3, 2};
    view.attention->cells.assign(12, 0.5f);
    session.events.add(SaveMaps{});
    exporter.follow(session, view);
    EXPECT_NE(exporter.notice().find(".npy"), std::string::npos);
    ASSERT_EQ(files_with(folder, ".npy"), 1u);
    std::ifstream file(std::filesystem::directory_iterator(folder.path())->path());
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    EXPECT_NE(bytes.find("(2,2,3,)"), std::string::npos)
        << "two maps of two rows and three columns";
}

TEST(Exporter, takes_as_many_pictures_of_the_view_as_were_asked_for) {
    const TempFolder folder;
    const std::vector<uint8_t> pixels(size_t{16} * 8 * 3, 200);
    {
        Exporter exporter(folder.path());
        Session session;
        EXPECT_FALSE(exporter.wants_view());
        session.events.add(SaveView{});
        session.events.add(SaveView{});
        exporter.follow(session, {});
        EXPECT_TRUE(session.events.empty());
        EXPECT_TRUE(exporter.wants_view());
        exporter.take({pixels.data(), 16, 8, 48, true});
        EXPECT_FALSE(exporter.wants_view());
    }
    EXPECT_EQ(files_with(folder, ".png"), 2u) << "they are written before it ends";
    for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
        EXPECT_TRUE(entry.path().filename().string().starts_with("saccade-view-"))
            << "a picture of the frame may be taken in the same second";
}

}  // namespace
}  // namespace saccade
