#pragma once

#include "app/live/report.h"
#include "app/live/state.h"

namespace saccade {

// Everything that lies over the picture, by ImGui. What a person changes there goes into the state.
void draw_panels(LiveState& state, const LiveReport& report);

}  // namespace saccade
