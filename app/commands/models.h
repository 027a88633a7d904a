#pragma once

namespace CLI {
class App;
}

namespace saccade {

// `saccade models`: list, path, pull and verify.
void add_models_command(CLI::App& app);

}  // namespace saccade
