#pragma once

#include <functional>

#include "gpu/recorder/commands.h"

namespace saccade {

// What the device takes for some work, in microseconds by its own clock: the least of several runs,
// each of which does it several times. Not for the frame loop: it waits.
double microseconds_of(Device& device, const std::function<void(Commands&)>& work);

}  // namespace saccade
