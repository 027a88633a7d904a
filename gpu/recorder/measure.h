#pragma once

#include <functional>
#include <span>
#include <vector>

#include "gpu/recorder/commands.h"

namespace saccade {

using Work = std::function<void(Commands&)>;

// What the device takes for some work, in microseconds by its own clock: the least of several runs,
// each of which does it several times. Not for the frame loop: it waits.
double microseconds_of(Device& device, const Work& work);

// The same for several ways to do something, for a table of figures. A GPU that has idled runs at a
// fraction of its clock: these are recorded first, done for half a second, and only then measured,
// in turns, so that whatever changes meanwhile changes all of them. Medians.
std::vector<double> settled_microseconds_of(Device& device, std::span<const Work> ways);

}  // namespace saccade
