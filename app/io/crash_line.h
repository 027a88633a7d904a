#pragma once

namespace saccade {

// Installs handlers that print one line when the program or a driver crashes: what happened and
// what is kept. The program still ends by the signal, for its parent process and for debuggers.
void tell_crashes();

}  // namespace saccade
