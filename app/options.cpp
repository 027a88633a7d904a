#include "app/options.h"

#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>

namespace saccade {

EngineOptions CommonOptions::engine() const {
    EngineOptions result;
    result.device = device;
    result.precision = precision_named(precision);
    result.cooperative_matrix = !no_coopmat;
    return result;
}

void add_common_options(CLI::App& command, CommonOptions& options) {
    command
        .add_option("--device", options.device,
                    "Vulkan device: a number or a part of a name, see 'saccade devices'")
        ->type_name("N|NAME");
    command.add_option("--precision", options.precision, "How weights and activations are stored")
        ->check(CLI::IsMember({"auto", "fp16", "fp32"}).description(""))
        ->type_name("auto|fp16|fp32")
        ->capture_default_str();
    command.add_flag("--no-coopmat", options.no_coopmat,
                     "Leave the device's cooperative matrices unused");
    command.add_flag("--quiet", options.quiet, "Print results and errors alone");
    command.add_flag("--verbose", options.verbose, "Print what is being done");
}

}  // namespace saccade
