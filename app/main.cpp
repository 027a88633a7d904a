#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "app/classify.h"
#include "app/detect.h"
#include "app/lab/bench.h"
#include "app/lab/devices.h"
#include "app/lab/dump.h"
#include "app/lab/print.h"
#include "app/lab/sanitizer.h"
#include "app/options.h"
#include "app/picture_file.h"
#include "gpu/error.h"

namespace saccade {
namespace {

// People read one line on stderr: "saccade: " and what there is to say.
void set_up_log(const CommonOptions& options) {
    spdlog::set_default_logger(spdlog::stderr_logger_st("saccade"));
    spdlog::set_pattern("saccade: %v");
    spdlog::set_level(options.verbose ? spdlog::level::info
                      : options.quiet ? spdlog::level::err
                                      : spdlog::level::warn);
}

struct DumpCommand {
    CommonOptions common;
    std::string model, image, out;
};
struct BenchCommand {
    CommonOptions common;
    BenchOptions bench;
};

// What is wrong with the command line, and where to read how it should be.
std::string usage_error(const CLI::App& app, const CLI::ParseError& error) {
    const std::vector<CLI::App*> commands = app.get_subcommands();
    if (!commands.empty())
        return std::string(error.what()) + "; see saccade " + commands.front()->get_name() +
               " --help";
    const std::vector<std::string> rest = app.remaining();
    if (rest.empty()) return "no command; see saccade --help";
    return std::string(rest.front().starts_with("-") ? "unknown option '" : "unknown command '") +
           rest.front() + "'; see saccade --help";
}

int run(int argc, char** argv) {
    CLI::App app("Shows what a vision transformer sees.", "saccade");
    app.set_version_flag("--version", "saccade " SACCADE_VERSION);
    app.require_subcommand(1);
    app.footer(
        "Examples:\n"
        "  saccade devices\n"
        "  saccade classify cat.jpg --classifier models/vit-base-patch16-224\n"
        "  saccade detect street.jpg --detector models/detr-resnet-50 -o boxes.jpg\n"
        "'saccade COMMAND --help' says more of each.");
    int exit_code = 0;

    CLI::App& devices = *app.add_subcommand("devices", "List Vulkan devices and their fast paths");
    devices.footer("Examples:\n  saccade devices");
    devices.callback([] { print(describe_devices()); });

    ClassifyOptions classify_options;
    CLI::App& classify_command = *app.add_subcommand("classify", "Name what pictures show");
    classify_command.add_option("images", classify_options.images, "Picture files")
        ->required()
        ->type_name("IMAGE");
    classify_command
        .add_option("--classifier", classify_options.classifier,
                    "Model folder: ViT or DeiT, config.json and model.safetensors")
        ->required()
        ->type_name("FOLDER");
    classify_command.add_option("--top", classify_options.top, "How many classes to print")
        ->check(CLI::Range(1, 16).description(""))
        ->type_name("N")
        ->capture_default_str();
    classify_command
        .add_option("--preprocess", classify_options.preprocess,
                    "hub: as preprocessor_config.json says; deit: as DeiT was trained")
        ->check(CLI::IsMember({"hub", "deit"}).description(""))
        ->type_name("hub|deit")
        ->capture_default_str();
    classify_command.add_flag("--json", classify_options.json, "One JSON object per picture");
    add_common_options(classify_command, classify_options.common);
    classify_command.footer(
        "Examples:\n"
        "  saccade classify cat.jpg dog.png --classifier vit-base-patch16-224\n"
        "  saccade classify *.jpg --classifier deit-tiny-patch16-224 --preprocess deit --json");
    classify_command.callback([&] {
        set_up_log(classify_options.common);
        exit_code = classify(classify_options);
    });

    DetectOptions detect_options;
    CLI::App& detect_command = *app.add_subcommand("detect", "Find the objects in pictures");
    detect_command.add_option("images", detect_options.images, "Picture files")
        ->required()
        ->type_name("IMAGE");
    detect_command
        .add_option("--detector", detect_options.detector,
                    "Model folder: DETR or YOLOS, config.json and model.safetensors")
        ->required()
        ->type_name("FOLDER");
    detect_command
        .add_option("--threshold", detect_options.threshold, "Leave out what scores no more")
        ->check(CLI::Range(0.0, 1.0).description(""))
        ->type_name("P")
        ->capture_default_str();
    detect_command
        .add_option("--classes", detect_options.classes,
                    "Only these, by the names that the model's config.json gives them")
        ->delimiter(',')
        ->allow_extra_args(false)  // what follows is a picture
        ->type_name("A,B");
    detect_command
        .add_option("--max-detections", detect_options.most, "The best so many of each picture")
        ->check(CLI::Range(1, 65536).description(""))
        ->type_name("N")
        ->capture_default_str();
    detect_command
        .add_option_function<std::string>(
            "--size",
            [&](const std::string& text) {
                try {
                    detect_options.size = parse_size(text);
                } catch (const Error& error) {
                    throw CLI::ValidationError("--size", error.what());
                }
            },
            "Pictures are resized to fit into this, instead of what the model's file says")
        ->type_name("WxH");
    detect_command
        .add_option("-o,--out", detect_options.out,
                    "Write the picture with boxes drawn: a file, or a folder for several")
        ->type_name("FILE|FOLDER");
    detect_command.add_flag("--json", detect_options.json, "One JSON object per picture");
    add_common_options(detect_command, detect_options.common);
    detect_command.footer(
        "Examples:\n"
        "  saccade detect street.jpg --detector detr-resnet-50 -o boxes.jpg\n"
        "  saccade detect *.jpg --detector yolos-tiny --classes cat,dog --threshold 0.9 --json");
    detect_command.callback([&] {
        set_up_log(detect_options.common);
        exit_code = detect(detect_options);
    });

    DumpCommand dump_options;
    CLI::App& dump_command = *app.add_subcommand(
        "dump", "Write a model's tensors for one picture, to compare with transformers");
    dump_command.add_option("--model", dump_options.model, "Model folder")
        ->required()
        ->type_name("FOLDER");
    dump_command.add_option("--image", dump_options.image, "Picture file")
        ->required()
        ->type_name("FILE");
    dump_command.add_option("-o,--out", dump_options.out, "What to write")
        ->required()
        ->type_name("OUT.safetensors");
    add_common_options(dump_command, dump_options.common);
    dump_command.footer(
        "Examples:\n"
        "  saccade dump --model vit-base-patch16-224 --image cat.png -o cat.safetensors");
    dump_command.callback([&] {
        set_up_log(dump_options.common);
        const PictureFile file(dump_options.image);
        Engine engine(dump_options.common.engine());
        dump(engine, dump_options.model, file.view(), dump_options.out);
    });

    BenchCommand bench_options;
    CLI::App& bench_command = *app.add_subcommand("bench", "Time models on this device");
    bench_command
        .add_option("--model", bench_options.bench.models,
                    "Model folders or built-in architectures; all of those when left out")
        ->type_name("FOLDER|NAME");
    bench_command.add_option("--batch", bench_options.bench.batch, "Pictures at a time")
        ->check(CLI::Range(1, 4096).description(""))
        ->type_name("N")
        ->capture_default_str();
    bench_command.add_option("--runs", bench_options.bench.runs, "How often; 0 fills two seconds")
        ->type_name("N")
        ->capture_default_str();
    bench_command.add_flag("--json", bench_options.bench.json, "Print JSON");
    add_common_options(bench_command, bench_options.common);
    std::string architectures = "Built-in architectures:";
    for (const std::string& name : bench_models()) architectures += "\n  " + name;
    bench_command.footer(architectures +
                         "\nExamples:\n"
                         "  saccade bench --model vit-base-patch16-224 --batch 8\n"
                         "  saccade bench --model my-vit/ --precision fp32 --json");
    bench_command.callback([&] {
        set_up_log(bench_options.common);
        Engine engine(bench_options.common.engine());
        print(bench(engine, bench_options.bench));
    });

    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
        std::fprintf(stderr, "saccade: %s\n", usage_error(app, error).c_str());
        return 2;
    }
    return exit_code;
}

}  // namespace
}  // namespace saccade

int main(int argc, char** argv) {
    try {
        return saccade::run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "saccade: %s\n", error.what());
        return 1;
    }
}
