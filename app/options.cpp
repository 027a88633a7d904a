#include "app/options.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>

#include "app/model_finder.h"

namespace saccade {

EngineOptions CommonOptions::engine() const {
    EngineOptions result;
    result.device = device;
    result.precision = precision_named(precision);
    result.cooperative_matrix = !no_coopmat;
    result.texel_loads = !no_texels;
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
    command.add_flag("--no-texels", options.no_texels,
                     "Read storage buffers where texel buffers would be faster");
    command.add_flag("--quiet", options.quiet, "Print results and errors alone");
    command.add_flag("--verbose", options.verbose, "Print what is being done");
}

CLI::Option* add_model_option(CLI::App& command, Task task, std::string& model) {
    const bool bundled = bundled_model(default_model(task)).has_value();
    if (bundled) model = default_model(task);
    return command
        .add_option(std::string(option_of(task)), model,
                    "A folder, a bundled model, or one of the Hub; see 'saccade models list'")
        ->required(!bundled)
        ->type_name("MODEL")
        ->capture_default_str();
}

void set_up_log(const CommonOptions& options) {
    spdlog::set_default_logger(spdlog::stderr_logger_mt("saccade"));
    spdlog::set_pattern("saccade: %v");
    spdlog::set_level(options.verbose ? spdlog::level::info
                      : options.quiet ? spdlog::level::err
                                      : spdlog::level::warn);
}

}  // namespace saccade
