#pragma once

#include <imgui.h>

#include <optional>
#include <utility>

#include "app/hub/background_pull.h"
#include "app/live/live_thread.h"
#include "app/live/view/layout.h"
#include "app/live/view/region_editor.h"
#include "app/live/view/source_offers.h"

namespace saccade {

// What the window draws from, and what a person changes there.
struct ViewInput {
    LiveState& state;
    const LiveView& view;
    SourceOffers& offers;
    BackgroundPull& pull;
    RegionEditor& editor;
    // Where the picture and its second view lie, in the desktop's units, and what room each has.
    struct Place {
        Rectangle picture, room;
    };
    Place first;
    std::optional<Place> second;
};

// Where the views of a scene lie, of which both together have this room; `dots`: pixels to a unit.
std::pair<ViewInput::Place, std::optional<ViewInput::Place>> places_of(const LiveScene& scene,
                                                                       const Rectangle& room,
                                                                       glm::vec2 dots);

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
void draw_legends(const ViewInput& in);
// Lines and zones while they are drawn, and the list of them.
void draw_regions(const ViewInput& in);
void draw_region_list(ViewInput& in);
void draw_keys(LiveState& state);

}  // namespace saccade
