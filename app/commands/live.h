#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/options.h"
#include "app/frame/source.h"

namespace CLI {
class App;
}

namespace saccade {

struct LiveOptions {
    CommonOptions common;
    ModelNames models;  // those that are empty follow the source
    std::string source = "0";
    SourceOptions camera;
    // Where they are given, they go before what was remembered from the last run.
    std::optional<double> threshold;
    std::vector<std::string> classes;  // names; empty: all
    uint32_t most = 100;
    std::optional<std::string> attention, present_mode;
    std::optional<uint32_t> layer, head, stride;
    bool track = false;  // things have numbers
    std::string zones;   // a file of lines and zones; empty: none
    bool truth = false;  // what is really there is drawn, too, where the source knows
    bool loop = true;    // a file begins again at its end
    bool full_screen = false;

    ServeOptions serve;
    std::vector<std::string> offered;  // other sources that viewers may choose

    std::string to;  // where annotated frames are sent as well
    bool headless = false;
    uint64_t frames = 0;  // stops after this many; 0: when somebody stops it
};

// `saccade live`: the window. Returns the exit code. Throws NoDisplay where there is nowhere to
// open it.
int live(const LiveOptions& options);
void add_live_command(CLI::App& app, int& exit_code);

}  // namespace saccade
