#pragma once

namespace saccade {

// From now on a crash, ours or a driver's, says in a line that it was one and what is kept. The
// program ends by its signal all the same, so that whoever started it sees that, and a debugger too.
void tell_crashes();

}  // namespace saccade
