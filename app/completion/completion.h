#pragma once

#include <string>

namespace CLI {
class App;
}  // namespace CLI

namespace saccade {

// The words of the command line for shells and for man, from the same table as --help. `form` is
// bash, zsh, fish or man.
std::string completion(const CLI::App& app, const std::string& form);

// Adds `completion FORM`, which prints that. It is not in the list of commands: packages call it.
void add_completion_command(CLI::App& app);

}  // namespace saccade
