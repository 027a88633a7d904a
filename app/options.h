#pragma once

#include <string>

#include "app/lab/engine.h"

namespace CLI {
class App;
}

namespace saccade {

// What every command that runs models takes.
struct CommonOptions {
    std::string device, precision = "auto";
    bool no_coopmat = false;
    bool quiet = false, verbose = false;

    EngineOptions engine() const;
};

// Adds them to a command; `options` must live until the command line has been parsed and used.
void add_common_options(CLI::App& command, CommonOptions& options);

// People read one line on stderr: "saccade: " and what there is to say.
void set_up_log(const CommonOptions& options);

}  // namespace saccade
