#pragma once

namespace saccade {

// The whole program: runs the command that the arguments name. Returns the exit code.
int program(int argc, char** argv);

}  // namespace saccade
