#include "app/commands/merge.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "app/batch/merge.h"
#include "app/io/print.h"

namespace saccade {

int merge(const MergeOptions& options) {
    const MergeOutcome outcome = merge_parts(options.folder);
    if (!options.common.quiet)
        print(std::to_string(outcome.parts) + " parts joined in '" + options.folder +
              "'; the folders of the parts can be deleted\n");
    return outcome.failed ? 1 : 0;
}

void add_merge_command(CLI::App& app, int& exit_code) {
    auto options = std::make_shared<MergeOptions>();
    CLI::App& command =
        *app.add_subcommand("merge", "Join the parts of a batch run that used --shard");
    command.add_option("folder", options->folder, "The folder that all parts were written to")
        ->required()
        ->type_name("FOLDER");
    command.add_flag("--quiet", options->common.quiet, "Print only errors");
    command.footer(
        "Examples:\n"
        "  saccade batch videos/ --shard 0/2 -o out\n"
        "  saccade batch videos/ --shard 1/2 -o out\n"
        "  saccade merge out");
    command.callback([options, &exit_code] {
        set_up_log(options->common);
        exit_code = merge(*options);
    });
}

}  // namespace saccade
