#pragma once

#include <string_view>

namespace saccade {

// Writes to standard output and flushes it; terminal control characters are escaped. An Error if
// the disk is full or the reader of a pipe has gone.
void print(std::string_view text);

// "saccade: ..." to standard error, as one line, without the secrets of URLs.
void print_error_line(std::string_view text);

}  // namespace saccade
