#include "app/commands/doctor.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "app/doctor/examination.h"
#include "app/io/print.h"

namespace saccade {

void add_doctor_command(CLI::App& app, int& exit_code) {
    auto json = std::make_shared<bool>(false);
    CLI::App& command = *app.add_subcommand(
        "doctor", "Say which Vulkan driver and device is taken, and why a GPU is not");
    command.add_flag("--json", *json, "Print one JSON object");
    command.footer(
        "Each driver is tried in a process of its own, with a small kernel on each device. The "
        "exit\n"
        "code is 1 if a GPU is in this machine but cannot be used, or no device works; the report\n"
        "then names the cause and the command that mends it.\n"
        "Examples:\n"
        "  saccade doctor\n"
        "  saccade doctor --json");
    command.callback([json, &exit_code] {
        const Examination found = examine(Machine::this_machine());
        print(*json ? found.json() : found.text());
        exit_code = found.is_well() ? 0 : 1;
    });
}

}  // namespace saccade
