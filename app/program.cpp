#include "app/program.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <new>

#include "app/commands/batch.h"
#include "app/commands/caption.h"
#include "app/commands/classify.h"
#include "app/commands/demo.h"
#include "app/commands/detect.h"
#include "app/commands/doctor.h"
#include "app/commands/explain.h"
#include "app/commands/inspect.h"
#include "app/commands/lab.h"
#include "app/commands/lecture.h"
#include "app/commands/live.h"
#include "app/commands/models.h"
#include "app/completion/completion.h"
#include "app/io/crash_line.h"
#include "app/io/devices.h"
#include "app/io/interrupts.h"
#include "app/io/print.h"
#include "app/io/text.h"
#include "gpu/core/error.h"

namespace saccade {
namespace {

// ": did you mean '--detector'?" if the first of these is close to an option or command of the app.
std::string meant(const CLI::App& app, const std::vector<std::string>& rest) {
    if (rest.empty()) return "";
    const std::string word = rest.front().substr(0, rest.front().find('='));
    std::vector<std::string> words;
    if (word.starts_with("-")) {
        for (const CLI::Option* option : app.get_options())
            for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
    } else {
        for (const CLI::App* command : app.get_subcommands({}))
            words.push_back(command->get_name());
    }
    const std::string best = closest(word, words);
    return best.empty() ? "" : ": did you mean '" + best + "'?";
}

// What is wrong with the command line, and which --help to read.
std::string usage_error(const CLI::App& app, const CLI::ParseError& error) {
    std::string words;  // the command and its subcommand
    const CLI::App* chosen = &app;
    while (!chosen->get_subcommands().empty()) {
        chosen = chosen->get_subcommands().front();
        words += chosen->get_name() + " ";
    }
    const std::vector<std::string> rest = app.remaining(true);
    if (!words.empty())
        return std::string(error.what()) + meant(*chosen, rest) + "; see saccade " + words +
               "--help";
    if (rest.empty()) return "no command; see saccade --help";
    return std::string(rest.front().starts_with("-") ? "unknown option '" : "unknown command '") +
           rest.front() + "'" + meant(app, rest) + "; see saccade --help";
}

int run(int argc, char** argv) {
    CLI::App app("Shows what a vision transformer sees.", "saccade");
    app.set_version_flag("--version", "saccade " SACCADE_VERSION);
    app.require_subcommand(1);
    app.footer(
        "Examples:\n"
        "  saccade doctor\n"
        "  saccade live synth:\n"
        "  saccade batch clip.mp4 -o out\n"
        "  saccade classify cat.jpg\n"
        "  saccade detect street.jpg --detector facebook/detr-resnet-50 -o boxes.jpg\n"
        "  saccade caption beach.jpg\n"
        "  saccade inspect dog.jpg -o dog-attention\n"
        "Exit codes: 0 done, 1 it could not be done, 2 the command line is wrong, 75 interrupted "
        "or\n"
        "short of a resource: run it again, batch with --resume.\n"
        "'saccade COMMAND --help' tells more.");
    int exit_code = 0;

    CLI::App& devices = *app.add_subcommand("devices", "List Vulkan devices and their fast paths");
    devices.footer("Examples:\n  saccade devices");
    devices.callback([] { print(describe_devices()); });
    add_doctor_command(app, exit_code);
    add_live_command(app, exit_code);
    add_batch_command(app, exit_code);
    add_merge_command(app, exit_code);
    add_classify_command(app, exit_code);
    add_demo_command(app, exit_code);
    add_detect_command(app, exit_code);
    add_caption_command(app, exit_code);
    add_ask_command(app, exit_code);
    add_inspect_command(app, exit_code);
    add_explain_command(app, exit_code);
    add_lecture_command(app, exit_code);
    add_models_command(app);
    add_dump_command(app);
    add_bench_command(app);
    add_completion_command(app);

    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
        print_error_line(usage_error(app, error));
        return 2;
    }
    return exit_code;
}

}  // namespace

int program(int argc, char** argv) {
    tell_crashes();
    exit_when_terminated();
    try {
        return run(argc, argv);
    } catch (const std::bad_alloc&) {
        std::fputs(
            "saccade: this machine is out of memory: close other programs, or use smaller frames "
            "(--size) or a smaller model\n",
            stderr);
        return exit_code_again;
    } catch (const TemporaryError& error) {
        print_error_line(error.what());
        return exit_code_again;
    } catch (const std::exception& error) {
        print_error_line(error.what());
        return 1;
    }
}

}  // namespace saccade
