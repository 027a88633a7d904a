#pragma once

namespace saccade {

// The whole program: the command that these words name. Returns the exit code.
int program(int argc, char** argv);

}  // namespace saccade
