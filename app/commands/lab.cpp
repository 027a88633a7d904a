#include "app/commands/lab.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/batch/stage_rates.h"
#include "app/commands/options.h"
#include "app/hub/model_finder.h"
#include "app/io/picture_file.h"
#include "app/io/print.h"
#include "app/lab/bench.h"
#include "app/lab/dump/dump.h"

namespace saccade {

namespace {

struct DumpOptions {
    CommonOptions common;
    std::string model, image, inputs, out;
    Implementation as = Implementation::by_weights;
};

struct BenchCommandOptions {
    CommonOptions common;
    BenchOptions bench;
    bool pipeline = false;
    StageRatesOptions stages = {.source = "synth:"};
    ModelNames models;
};

std::string as_json(const StageRates& rates, const std::string& source, const std::string& device) {
    nlohmann::ordered_json stages = nlohmann::ordered_json::object();
    for (const StageRate& stage : rates.alone) stages[stage.stage] = stage.rate;
    const nlohmann::ordered_json report = {{"device", device},
                                           {"source", source},
                                           {"width", rates.size.x},
                                           {"height", rates.size.y},
                                           {"frames_at_once", rates.at_once},
                                           {"frames_per_second", stages},
                                           {"all_without_video", rates.without_video},
                                           {"all", rates.with_video}};
    return report.dump(2) + "\n";
}

std::string as_table(const StageRates& rates, const std::string& source,
                     const std::string& device) {
    char line[160];
    std::snprintf(line, sizeof line, ", %ux%u, %u at once\n%-20s %10s %12s\n", rates.size.x,
                  rates.size.y, rates.at_once, "stage alone", "frames/s", "ms a frame");
    std::string text = device + ": " + source + line;
    auto add = [&](const std::string& name, double per_second) {
        std::snprintf(line, sizeof line, "%-20s %10.1f %12.2f\n", name.c_str(), per_second,
                      1e3 / per_second);
        text += line;
    };
    for (const StageRate& stage : rates.alone) add(stage.stage, stage.rate);
    text += "all together\n";
    add("without video", rates.without_video);
    add("with video", rates.with_video);
    return text + "the slowest stage is " + rates.slowest().stage + "\n";
}

// Times the stages of a batch on the source.
std::string bench_pipeline(const BenchCommandOptions& options) {
    Engine engine(options.common.engine());
    const ModelsInUse models =
        ModelsInUse::open(engine, options.models.or_default(imagery_of(options.stages.source)));
    const StageRates rates = measure_stages(engine, models.borrowed(), options.stages);
    const std::string source = options.stages.source.text();
    const std::string& device = engine.device().info().name;
    return options.bench.json ? as_json(rates, source, device) : as_table(rates, source, device);
}

void add_pipeline_options(CLI::App& command, BenchCommandOptions& options) {
    CLI::Option* pipeline =
        command.add_flag("--pipeline", options.pipeline,
                         "Time the stages of a batch instead: each alone, then all together");
    command
        .add_option("source", options.stages.source,
                    "What --pipeline reads: a video, a picture, a folder, or synth:")
        ->needs(pipeline)
        ->type_name("SOURCE")
        ->default_str("synth:");
    command.add_option("--seconds", options.stages.seconds, "How long --pipeline times each stage")
        ->check(within(0.1, 3600.0))
        ->needs(pipeline)
        ->type_name("S")
        ->capture_default_str();
    add_model_options(command, options.models);
}

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
    add_as_option(command, options->as);
    add_common_options(command, options->common);
    command.footer(
        "Examples:\n"
        "  saccade dump --model vit-base-patch16-224 --image cat.png -o cat.safetensors");
    command.callback([options] {
        set_up_log(options->common);
        const PictureFile file(options->image);
        Engine engine(options->common.engine());
        DumpInputs inputs =
            options->inputs.empty() ? DumpInputs{} : DumpInputs::read(options->inputs);
        inputs.as = options->as;
        dump(engine, find_model(options->model), file.view(), inputs, options->out);
    });
}

void add_bench_command(CLI::App& app) {
    auto options = std::make_shared<BenchCommandOptions>();
    CLI::App& command = *app.add_subcommand("bench", "Time models and operations on this device");
    command
        .add_option("--model", options->bench.models,
                    "Model folders or built-in architectures; all built-in ones if left out")
        ->type_name("FOLDER|NAME");
    command.add_option("--batch", options->bench.load.batch, "Pictures per run")
        ->check(CLI::Range(1, 4096).description(""))
        ->type_name("N")
        ->capture_default_str();
    command.add_option("--beams", options->bench.load.beams, "Beams of a caption; 1 is greedy")
        ->check(CLI::Range(1, 64).description(""))
        ->type_name("N")
        ->capture_default_str();
    command.add_option("--runs", options->bench.runs, "Number of runs; 0 runs for two seconds")
        ->type_name("N")
        ->capture_default_str();
    command.add_flag("--ops", options->bench.ops,
                     "Time single operations; models only if --model names them");
    command.add_flag_callback(
        "--no-check", [options] { options->bench.check = false; },
        "Do not compare models with the plain kernels first");
    command.add_flag("--json", options->bench.json, "Print JSON");
    command
        .add_option("--compare", options->bench.compare,
                    "Output of an earlier bench --json: also print its times and the speed-up")
        ->type_name("FILE");
    add_pipeline_options(command, *options);
    add_common_options(command, options->common);
    std::string architectures = "Built-in architectures:";
    for (const std::string& name : bench_models(WhichModels::all)) architectures += "\n  " + name;
    command.footer(architectures +
                   "\nExamples:\n"
                   "  saccade bench --model vit-base-patch16-224 --batch 8\n"
                   "  saccade bench --model my-vit/ --precision fp32 --json > before.json\n"
                   "  saccade bench --model my-vit/ --precision fp32 --compare before.json\n"
                   "  saccade bench --ops\n"
                   "  saccade bench --pipeline clip.mp4 --captioner none");
    command.callback([options] {
        set_up_log(options->common);
        options->stages.quiet = options->common.quiet;
        print(options->pipeline ? bench_pipeline(*options)
                                : bench(options->common.engine(), options->bench));
    });
}

}  // namespace saccade
