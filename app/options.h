#pragma once

#include <string>

#include "app/lab/engine.h"
#include "app/model_catalogue.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace saccade {

// What every command that runs models takes.
struct CommonOptions {
    std::string device, precision = "auto";
    bool no_coopmat = false, no_texels = false;
    bool quiet = false, verbose = false;

    EngineOptions engine() const;
};

// Adds them to a command; `options` must live until the command line has been parsed and used.
void add_common_options(CLI::App& command, CommonOptions& options);

// Adds the option that names the model of a task, for find_model: --classifier, --detector or
// --captioner. Left out, it is the bundled one; in a copy of Saccade without that, it is required.
CLI::Option* add_model_option(CLI::App& command, Task task, std::string& model);

// People read one line on stderr: "saccade: " and what there is to say.
void set_up_log(const CommonOptions& options);

}  // namespace saccade
