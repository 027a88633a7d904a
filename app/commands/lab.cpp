#include "app/commands/lab.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "app/commands/options.h"
#include "app/hub/model_finder.h"
#include "app/io/picture_file.h"
#include "app/io/print.h"
#include "app/lab/bench.h"
#include "app/lab/dump.h"

namespace saccade {

namespace {

struct DumpOptions {
    CommonOptions common;
    std::string model, image, inputs, out;
};

struct BenchCommandOptions {
    CommonOptions common;
    BenchOptions bench;
};

}  // namespace

void add_dump_command(CLI::App& app) {
    auto options = std::make_shared<DumpOptions>();
    CLI::App& command = *app.add_subcommand(
        "dump", "Write a model's tensors for one picture, to compare with transformers");
    command.add_option("--model", options->model, "A model folder, a bundled model or a Hub name")
        ->required()
        ->type_name("MODEL");
    command.add_option("--image", options->image, "Picture file")->required()->type_name("FILE");
    command
        .add_option("--inputs", options->inputs,
                    "JSON file with top5_queries: write the attention of these queries")
        ->type_name("FILE.json");
    command.add_option("-o,--out", options->out, "The file to write")
        ->required()
        ->type_name("OUT.safetensors");
    add_common_options(command, options->common);
    command.footer(
        "Examples:\n"
        "  saccade dump --model vit-base-patch16-224 --image cat.png -o cat.safetensors");
    command.callback([options] {
        set_up_log(options->common);
        const PictureFile file(options->image);
        Engine engine(options->common.engine());
        dump(engine, find_model(options->model), file.view(),
             options->inputs.empty() ? DumpInputs{} : DumpInputs::read(options->inputs),
             options->out);
    });
}

void add_bench_command(CLI::App& app) {
    auto options = std::make_shared<BenchCommandOptions>();
    CLI::App& command = *app.add_subcommand("bench", "Time models and operations on this device");
    command
        .add_option("--model", options->bench.models,
                    "Model folders or built-in architectures; all built-in ones if left out")
        ->type_name("FOLDER|NAME");
    command.add_option("--batch", options->bench.batch, "Pictures per run")
        ->check(CLI::Range(1, 4096).description(""))
        ->type_name("N")
        ->capture_default_str();
    command.add_option("--runs", options->bench.runs, "Number of runs; 0 runs for two seconds")
        ->type_name("N")
        ->capture_default_str();
    command.add_flag("--ops", options->bench.ops,
                     "Time single operations; models only if --model names them");
    command.add_flag("!--no-check", options->bench.check,
                     "Do not compare models with the plain kernels first");
    command.add_flag("--json", options->bench.json, "Print JSON");
    command
        .add_option("--compare", options->bench.compare,
                    "Output of an earlier bench --json: also print its times and the speed-up")
        ->type_name("FILE");
    add_common_options(command, options->common);
    std::string architectures = "Built-in architectures:";
    for (const std::string& name : bench_models()) architectures += "\n  " + name;
    command.footer(architectures +
                   "\nExamples:\n"
                   "  saccade bench --model vit-base-patch16-224 --batch 8\n"
                   "  saccade bench --model my-vit/ --precision fp32 --json > before.json\n"
                   "  saccade bench --model my-vit/ --precision fp32 --compare before.json\n"
                   "  saccade bench --ops");
    command.callback([options] {
        set_up_log(options->common);
        print(bench(options->common.engine(), options->bench));
    });
}

}  // namespace saccade
