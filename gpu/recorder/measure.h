#pragma once

#include <functional>
#include <span>
#include <vector>

#include "gpu/recorder/commands.h"

namespace saccade {

using Work = std::function<void(Commands&)>;

// The microseconds that some work takes, by GPU timestamps: the minimum of several runs, each of
// which does it several times. It blocks, so it is not for the frame loop.
double microseconds_of(Device& device, const Work& work);

// The medians for several ways to do the same. An idle GPU runs at a fraction of its clock: the
// ways run for half a second first. Then they are measured in turns, so that a change of the clock
// affects all of them.
std::vector<double> settled_microseconds_of(Device& device, std::span<const Work> ways);

}  // namespace saccade
