#pragma once

#include <imgui.h>

#include "app/hub/background_pull.h"
#include "app/live/live_thread.h"
#include "app/live/view/layout.h"
#include "app/live/view/source_offers.h"

namespace saccade {

// What the window draws from, and what a person changes there.
struct ViewInput {
    LiveState& state;
    const LiveView& view;
    SourceOffers& offers;
    BackgroundPull& pull;
    Rectangle picture;  // where it lies, in the desktop's units
    Rectangle room;     // and what room it has
};

ViewLayout layout_for(const LiveState& state, const LiveReport& report);
// Everything but the picture, by ImGui.
void draw_view(ViewInput& in, const ViewLayout& layout);

// A pixel of the picture in the desktop's units.
ImVec2 on_screen(const ViewInput& in, glm::vec2 pixel);

// The parts of it.
void draw_side_panel(ViewInput& in, const Rectangle& place);
void draw_words(ViewInput& in);
void draw_drawn_box(const ViewInput& in);
void draw_player(ViewInput& in, const Rectangle& place);
void draw_status(const ViewInput& in, const Rectangle& place);
void draw_start_page(ViewInput& in, const Rectangle& place);
void draw_legend(const ViewInput& in);
void draw_keys(LiveState& state);

}  // namespace saccade
