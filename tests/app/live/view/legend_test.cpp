// The legend over the picture, as triangles of Dear ImGui: no window is needed to count them.

#include <gtest/gtest.h>
#include <imgui.h>

#include "app/live/view/view.h"

namespace saccade {
namespace {

class LegendTest : public ::testing::Test {
protected:
    LegendTest() {
        ImGui::CreateContext();
        ImGui::GetStyle().AntiAliasedLines = false;  // a line is four corners
        ImGui::GetIO().IniFilename = nullptr;
        ImGui::GetIO().DisplaySize = {640, 480};
        ImGui::GetIO().Fonts->Build();
        view.scene.picture = {320, 240};
        view.attention.emplace();
        view.attention->looker = {.token = Looker::Token::class_token, .point = {}};
        view.attention->geometry = {.grid = {20, 15}, .corner = {}, .cell = glm::vec2(16)};
    }
    ~LegendTest() override { ImGui::DestroyContext(); }

    int corners() {
        ImGui::NewFrame();
        const ViewInput::Place place{{0, 0, 640, 480}, {0, 0, 640, 480}};
        draw_legends({session, view, offers, pull, editor, place, std::nullopt});
        const int count = ImGui::GetBackgroundDrawList()->VtxBuffer.Size;
        ImGui::EndFrame();
        return count;
    }

    Session session;
    LiveView view;
    SourceOffers offers;
    BackgroundPull pull;
    RegionEditor editor;
};

TEST_F(LegendTest, the_grid_has_a_line_at_every_border_of_the_patches) {
    const int without = corners();
    press_key(session, U'g');
    EXPECT_EQ(corners() - without, 4 * (21 + 16));
    view.scene.tiles.emplace(Size{320, 240}, 4, 2);
    EXPECT_EQ(corners(), without) << "tiles are too small for it";
    view.attention.reset();
    EXPECT_EQ(corners(), 0) << "no map, no patches";
}

}  // namespace
}  // namespace saccade
