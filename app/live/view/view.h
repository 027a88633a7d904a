#pragma once

#include <imgui.h>

#include <optional>
#include <utility>

#include "app/hub/background_pull.h"
#include "app/live/state/controls.h"
#include "app/live/view/layout.h"
#include "app/live/view/region_editor.h"
#include "app/live/view/source_offers.h"
#include "app/live/wall/live_thread.h"

namespace saccade {

// What the window draws from, and changes.
struct ViewInput {
    Session& session;
    const LiveView& view;
    SourceOffers& offers;
    BackgroundPull& pull;
    RegionEditor& editor;
    // The rectangle of the picture or its second view in the desktop's units, and the room for it.
    struct Place {
        Rectangle picture, room;
    };
    Place first;
    std::optional<Place> second;
    bool tour = false;  // maps play by themselves
};

// The places of a scene's views, which share this room; `dots`: pixels to a unit.
std::pair<ViewInput::Place, std::optional<ViewInput::Place>> places_of(const LiveScene& scene,
                                                                       const Rectangle& room,
                                                                       glm::vec2 dots);

ViewLayout layout_for(const Session& session);
// Everything but the picture, by ImGui.
void draw_view(ViewInput& in, const ViewLayout& layout);

// A pixel of the picture in the desktop's units.
ImVec2 on_screen(const ViewInput& in, glm::vec2 pixel);

// The parts of it.
void draw_side_panel(ViewInput& in, const Rectangle& place);
void draw_words(ViewInput& in);
void draw_example_box(const ViewInput& in);
void draw_player(ViewInput& in, const Rectangle& place);
void draw_status(const ViewInput& in, const Rectangle& place);
void draw_start_page(ViewInput& in, const Rectangle& place);
void draw_legends(const ViewInput& in);
// The line of the tour, on the picture. Returns where it lies in the first view, 0 .. 1.
Rectangle draw_invitation(const ViewInput& in);
// Lines and zones while they are drawn, and the list of them.
void draw_regions(const ViewInput& in);
void draw_region_list(ViewInput& in);
void draw_keys(Wishes& wishes);
// The check boxes of one part of the panel.
void draw_switches(Wishes& wishes, PanelPart part);

}  // namespace saccade
