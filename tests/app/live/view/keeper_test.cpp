#include "app/live/view/keeper.h"

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

TEST(Keeper, saves_the_maps_that_are_shown_in_their_shape) {
    const TempFolder folder;
    Keeper keeper(folder.path());
    LiveState state;
    LiveView view;
    keeper.follow(state, view);
    EXPECT_EQ(keeper.notice(), "");
    state.saved_maps = 1;
    keeper.follow(state, view);
    EXPECT_NE(keeper.notice().find("point at the picture"), std::string::npos);
    EXPECT_EQ(files_with(folder, ".npy"), 0u);

    view.attention.emplace();
    view.attention->geometry.grid = {3, 2};
    view.attention->cells.assign(12, 0.5f);
    state.saved_maps = 2;
    keeper.follow(state, view);
    EXPECT_NE(keeper.notice().find(".npy"), std::string::npos);
    ASSERT_EQ(files_with(folder, ".npy"), 1u);
    std::ifstream file(std::filesystem::directory_iterator(folder.path())->path());
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    EXPECT_NE(bytes.find("(2,2,3,)"), std::string::npos)
        << "two maps of two rows and three columns";
}

TEST(Keeper, takes_as_many_pictures_of_the_view_as_were_asked_for) {
    const TempFolder folder;
    const std::vector<uint8_t> pixels(size_t{16} * 8 * 3, 200);
    {
        Keeper keeper(folder.path());
        LiveState state;
        EXPECT_FALSE(keeper.wants_view(state));
        state.view_screenshots = 2;
        EXPECT_TRUE(keeper.wants_view(state));
        keeper.take(state, {pixels.data(), 16, 8, 48, true});
        EXPECT_FALSE(keeper.wants_view(state));
    }
    EXPECT_EQ(files_with(folder, ".png"), 2u) << "they are written before it ends";
    for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
        EXPECT_TRUE(entry.path().filename().string().starts_with("saccade-view-"))
            << "a picture of the frame may be taken in the same second";
}

}  // namespace
}  // namespace saccade
