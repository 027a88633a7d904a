#pragma once

#include <string_view>

namespace saccade {

// Writes to standard output, at once, and nothing that commands a terminal. Throws where that cannot be done: a full disk, a reader that
// has gone.
void print(std::string_view text);

}  // namespace saccade
