#pragma once

#include <string>

#include "app/commands/options.h"

namespace CLI {
class App;
}

namespace saccade {

struct MergeOptions {
    CommonOptions common;
    std::string folder;
};

// `saccade merge`: joins what `saccade batch --shard` has written. Returns the exit code: 1 if a
// source had failed.
int merge(const MergeOptions& options);

void add_merge_command(CLI::App& app, int& exit_code);

}  // namespace saccade
