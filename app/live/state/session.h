#pragma once

#include <string>
#include <vector>

#include "app/live/state/events.h"
#include "app/live/state/status.h"
#include "app/live/state/wishes.h"

namespace saccade {

// One person at the window: keys, mouse and panels act on this.
struct Session {
    Wishes wishes = {};
    Pointer pointer = {};
    Events events = {};
    Status status = {};  // as the loop told it last
};

// The maps that keys are for: those of the view under the mouse.
struct ChosenMaps {
    AttentionState& attention;
    MapModel& model;
    MapChoices choices;
};
ChosenMaps maps_under_mouse(Session& session);
void next_attention_mode(Session& session);
// Steps that stay within what the model has.
void step_layer(Session& session, int by);
void choose_head(Session& session, uint32_t head);
// No second view, the picture as it came, other maps.
void next_second_view(Wishes& wishes);
void choose_second_view(Wishes& wishes, SecondView::Kind kind);

// A box whose content is to be found, or one that is dropped by its name.
void add_example(Wishes& wishes, const Rectangle& box);
void drop_example(Wishes& wishes, const std::string& name);

// Opens another source, or the same one again, and plays it. Sources that were dropped together
// stay at hand if it is one of them.
void choose_source(Session& session, SourceName source);
void choose_sources(Session& session, std::vector<SourceName> sources);
// To the previous or next one of those that were dropped together, round and round.
void step_source(Session& session, int by);
// From the frame that is shown to one near it, where the file stops.
void step_frame(Session& session, int by);

}  // namespace saccade
