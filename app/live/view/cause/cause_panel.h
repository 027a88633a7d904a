#pragma once

#include <string>
#include <vector>

#include "app/live/state/session.h"

namespace saccade {

// What is known of what an answer needs: the table of heads, where a click switches one off or on
// again, and what the shown maps are worth. Nothing if nothing was asked for.
void draw_cause(Session& session);

// Of the legend of a view: what is known of its target, and what is being found out.
std::vector<std::string> lines_of(const CauseSeen& seen);

}  // namespace saccade
