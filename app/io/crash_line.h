#pragma once

#include <string_view>

namespace saccade {

// Installs handlers that print one line when the program or a driver crashes: what happened and
// what is kept. The program still ends by the signal, for its parent process and for debuggers.
void tell_crashes();

// Names the driver in that line from now on, with its version.
void name_driver_in_crash_line(std::string_view driver);

}  // namespace saccade
