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
    ModelNames models;                         // those that are empty follow the source
    std::vector<std::string> sources = {"0"};  // as sources_from() reads them
    SourceOptions camera;
    // Those that are given go before what was remembered from the last run.
    std::optional<double> threshold;
    std::vector<std::string> classes;  // names; empty: all
    uint32_t most = 100;
    std::optional<std::string> attention, present_mode;
    std::optional<uint32_t> layer, head, stride;
    double cause_budget = 30;  // ms of knock-outs at a time
    bool track = false;        // detections have numbers that stay
    std::string zones;         // a file of lines and zones; empty: none
    bool truth = false;        // ground truth is drawn, too, where the source has it
    bool loop = true;          // a file begins again at its end
    bool full_screen = false;
    bool tour = true;  // maps play by themselves until a person does something

    ServeOptions serve;
    std::vector<SourceName> offered;  // other sources that viewers may choose
    bool keep_lines = false;          // that viewers draw, for the next run

    std::string clips;                     // a folder for clips of what happens; empty: none
    uint64_t keep_bytes = 20'000'000'000;  // that they may take

    std::string to;  // where annotated frames are sent, too
    bool headless = false;
    uint64_t frames = 0;  // stops after this many; 0: no limit
};

// `saccade live`: the window. Returns the exit code. Throws NoDisplay without a desktop.
int live(const LiveOptions& options);
void add_live_command(CLI::App& app, int& exit_code);

}  // namespace saccade
