#pragma once

#include <string>

#include "app/commands/options.h"
#include "app/pipeline/models_in_use.h"

namespace CLI {
class App;
}

namespace saccade {

struct DemoOptions {
    CommonOptions common;
    ModelNames models;
    double seconds = 10;
    uint64_t seed = 7;
    bool hard = false;
    bool track = true;   // give objects numbers
    bool truth = false;  // also draw the ground truth
    bool headless = false;
    std::string folder = ".";  // where demo.mp4, demo.jsonl and demo.png go
};

// `saccade demo` without a display: runs the models on some seconds of the synthetic camera, and
// writes the results. Returns the exit code.
int demo(const DemoOptions& options);

void add_demo_command(CLI::App& app, int& exit_code);

}  // namespace saccade
