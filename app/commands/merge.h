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

// `saccade merge`: puts together what `saccade batch --shard` has written, so that it is as one run
// would have written it. Returns the exit code: 1 where a source had failed.
int merge(const MergeOptions& options);

void add_merge_command(CLI::App& app, int& exit_code);

}  // namespace saccade
