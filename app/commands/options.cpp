#include "app/commands/options.h"

#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <mutex>

#include "app/doctor/cause.h"
#include "app/draw/labels.h"
#include "app/hub/model_finder.h"
#include "app/io/crash_line.h"
#include "app/io/print.h"
#include "app/io/text.h"
#include "app/pipeline/examples.h"
#include "app/serve/web/server.h"
#include "gpu/core/error.h"
#include "models/contrast/phrases.h"

namespace saccade {

namespace {

CLI::Option* add_plain_model_option(CLI::App& command, Task task, std::string& model) {
    return command
        .add_option(
            std::string(option_of(task)), model,
            "A model folder, a bundled model or a Hub name; 'saccade models list' shows them")
        ->type_name("MODEL");
}

// Writes each message as one line, with untrusted text escaped and URLs without secrets.
class StderrLines : public spdlog::sinks::base_sink<std::mutex> {
    void sink_it_(const spdlog::details::log_msg& message) override {
        print_error_line({message.payload.data(), message.payload.size()});
    }
    void flush_() override { std::fflush(stderr); }
};

// A run on software Vulkan where there is a GPU is said in the first line, unless the device was
// chosen by name.
void check_device(const DeviceInfo& info, bool chosen, bool require_gpu) {
    name_driver_in_crash_line(info.driver);
    if (info.kind != DeviceKind::cpu || (chosen && !require_gpu)) return;
    const std::string line = unused_gpu_line(info, Machine::this_machine());
    if (require_gpu)
        throw Error("--require-gpu: " + (line.empty()
                                             ? "this would run on software Vulkan (" + info.name +
                                                   "), and no GPU was found in this machine"
                                             : line));
    if (!line.empty()) spdlog::warn("{}", line);
}

}  // namespace

std::set<uint32_t> ids_of(const std::vector<std::string>& names,
                          const std::vector<std::string>& labels) {
    std::set<uint32_t> ids;
    for (const std::string& name : names) {
        bool found = false;
        for (uint32_t i = 0; i < labels.size(); ++i) {
            if (labels[i] != name) continue;
            ids.insert(i);
            found = true;
        }
        if (found) continue;
        std::string some;
        for (size_t i = 0; i < labels.size() && i < 5; ++i)
            some += (i ? ", " : "") + in_quotes(labels[i]);
        throw Error("the model has no class " + in_quotes(name) + "; its " +
                    std::to_string(labels.size()) + " classes are " + some +
                    (labels.size() > 5 ? " and so on; see id2label in its config.json" : ""));
    }
    return ids;
}

EngineOptions CommonOptions::engine() const {
    EngineOptions result;
    result.device = device;
    result.precision = precision_named(precision);
    result.cooperative_matrix = !no_coopmat;
    result.texel_loads = !no_texels;
    result.chains = !no_chains;
    if (!no_tune) result.tuning = EngineOptions::Tuning::elsewhere;
    result.on_device = [chosen = !device.empty(), required = require_gpu](const DeviceInfo& info) {
        check_device(info, chosen, required);
    };
    result.on_tuning = [](const std::string& line) { spdlog::warn("{}", line); };
    return result;
}

std::function<std::string(const std::string&)> within(double least, double most) {
    return [least, most](const std::string& text) {
        double number = 0;
        // Comparisons with nan are false.
        if (CLI::detail::lexical_cast(text, number) && number >= least && number <= most)
            return std::string();
        char range[64];
        std::snprintf(range, sizeof range, "%g to %g", least, most);
        return "Value " + text + " not in range " + range;
    };
}

void add_common_options(CLI::App& command, CommonOptions& options) {
    command
        .add_option("--device", options.device,
                    "Vulkan device, by number or part of its name; 'saccade devices' lists them")
        ->type_name("N|NAME");
    command
        .add_option("--precision", options.precision, "Number format of weights and activations")
        ->check(CLI::IsMember({"auto", "fp16", "fp32"}).description(""))
        ->type_name("auto|fp16|fp32")
        ->capture_default_str();
    command.add_flag("--require-gpu", options.require_gpu,
                     "Refuse to run on software Vulkan, and say why no GPU can be used");
    command.add_flag("--no-coopmat", options.no_coopmat,
                     "Do not use the device's cooperative matrices");
    command.add_flag("--no-texels", options.no_texels, "Do not read weights through texel buffers");
    command.add_flag("--no-chains", options.no_chains,
                     "Do not fuse consecutive operations into one dispatch");
    command.add_flag("--no-tune", options.no_tune,
                     "Do not measure the fastest matrix products at the first use of a GPU");
    command.add_flag("--quiet", options.quiet, "Print only results and errors");
    command.add_flag("--verbose", options.verbose, "Also print what is being done");
}

void add_serve_options(CLI::App& command, ServeOptions& options) {
    const auto checked = [](auto parse) {
        return [parse](const std::string& text) {
            try {
                parse(text);
            } catch (const Error& error) {
                return std::string(error.what());
            }
            return std::string();
        };
    };
    CLI::Option* serve =
        command
            .add_option(
                "--serve", options.address,
                "Show it in browsers, at this port of this machine; on other addresses than "
                "127.0.0.1, viewers need the token that is printed")
            ->check(checked(parse_serve_address))
            ->type_name("[HOST:]PORT");
    command
        .add_option("--origin", options.origin,
                    "The address that browsers see, if a proxy is between: https://cam.example.org")
        ->check(checked(parse_origin))
        ->needs(serve)
        ->type_name("URL");
    command.add_flag("--read-only", options.read_only, "Viewers can change nothing")->needs(serve);
    command
        .add_option("--stale", options.stale_seconds,
                    "/healthz is 503 once the newest frame is older than S seconds")
        ->check(within(0.1, 1e6))
        ->needs(serve)
        ->type_name("S")
        ->capture_default_str();
}

std::unique_ptr<Server> open_server(const ServeOptions& options, const std::string& title,
                                    const std::vector<std::string>& sources) {
    if (options.address.empty()) return nullptr;
    ServerOptions server;
    server.address = parse_serve_address(options.address);
    if (!options.origin.empty()) server.origin = parse_origin(options.origin);
    server.read_only = options.read_only;
    server.stale_seconds = options.stale_seconds;
    server.classroom = options.classroom;
    server.title = title;
    server.sources = sources;
    auto opened = std::make_unique<Server>(server);
    print(opened->address() + "\n");
    if (options.classroom)
        print("for the class: " + opened->class_address() +
              "\nto teach:      " + opened->teacher_address() + "\n");
    return opened;
}

Size parse_size(const std::string& text) {
    const auto sides = two_numbers<uint32_t>(text, 'x');
    if (sides && sides->first > 0 && sides->second > 0) return {sides->first, sides->second};
    throw Error("'" + text + "' is not a size; write WIDTHxHEIGHT, like 640x480");
}

double DetectionOptions::least_score(bool phrases, float sure_above) const {
    return threshold.value_or(double(phrases ? phrase_threshold : sure_above));
}

DetectionFilter DetectionOptions::filter(const Detector& detector) const {
    const double least = least_score(detector.phrases(), detector.sure_above());
    DetectionFilter filter{.threshold = static_cast<float>(least),
                           .classes = ids_of(classes, detector.labels()),
                           .most = most};
    if (merged) filter.overlap = same_thing;
    if (!detector.phrases()) return filter;
    std::map<std::string, float> own;
    if (threshold)
        for (const std::string& label : detector.labels()) own[label] = filter.threshold;
    set_thresholds(filter, detector, own);
    return filter;
}

void add_detection_options(CLI::App& command, DetectionOptions& options) {
    command.add_option("--threshold", options.threshold, "Keep detections that score above P")
        ->check(within(0.0, 1.0))
        ->type_name("P")
        ->default_str("that of the model's folder, or 0.5; 0.1 for --find, 0.9 for --like");
    command
        .add_option("--classes", options.classes,
                    "Keep only these classes, named as in the model's config.json")
        ->delimiter(',')
        ->allow_extra_args(false)  // the next argument is a picture
        ->type_name("A,B");
    command
        .add_option("--max-detections", options.most,
                    "Keep at most the N best detections of a picture or frame")
        ->check(CLI::Range(1, 65536).description(""))
        ->type_name("N")
        ->capture_default_str();
    command.add_flag(
        "--merge-boxes", options.merged,
        "Keep only the strongest of boxes that almost coincide (IoU above 0.8) in results, too; "
        "pictures and videos always do");
    add_size_option(
        command, options.size,
        "Resize pictures to fit into W by H before detection, instead of the model's own size");
}

void add_size_option(CLI::App& command, std::optional<Size>& size, const std::string& help) {
    command
        .add_option_function<std::string>(
            "--size",
            [&size](const std::string& text) {
                try {
                    size = parse_size(text);
                } catch (const Error& error) {
                    throw CLI::ValidationError("--size", error.what());
                }
            },
            help)
        ->type_name("WxH");
}

void add_model_option(CLI::App& command, Task task, std::string& model, Imagery imagery) {
    const bool bundled = bundled_model(default_model(task, imagery)).has_value();
    if (bundled) model = default_model(task, imagery);
    add_plain_model_option(command, task, model)->required(!bundled)->capture_default_str();
}

void add_model_options(CLI::App& command, ModelNames& models) {
    auto add = [&](Task task, std::string& model) {
        const std::string photographs = default_model(task, Imagery::photographs);
        const bool bundled = bundled_model(photographs).has_value();
        model = bundled ? "" : "none";
        add_plain_model_option(command, task, model)
            ->default_str(bundled
                              ? photographs + ", for synth: " + default_model(task, Imagery::emoji)
                              : model);
    };
    add(Task::detect, models.detector);
    add(Task::classify, models.classifier);
    add(Task::caption, models.captioner);
    add_as_option(command, models.as);
}

void add_as_option(CLI::App& command, Implementation& as) {
    command
        .add_option_function<std::string>(
            "--as", [&as](const std::string& name) { as = implementation_named(name); },
            "Compute detector and classifier as transformers or as their authors' own code does, "
            "where the two differ (DEIMv2, OWLv2, SigLIP, DINOv2: see models/README.md); if "
            "left out, the weights of DEIMv2 decide, and others are computed as transformers does")
        ->check(CLI::IsMember({"transformers", "authors"}).description(""))
        ->type_name("transformers|authors");
}

void add_zones_option(CLI::App& command, std::string& file) {
    command
        .add_option("--zones", file,
                    "Count tracks that cross lines or are inside zones, see app/track/README.md")
        ->type_name("FILE");
}

void add_like_option(CLI::App& command, std::vector<std::string>& like) {
    command
        .add_option(
            "--like", like,
            "An example picture, or a part of one, of what such a detector looks for; may be "
            "repeated")
        ->allow_extra_args(false)
        ->type_name("FILE[@X,Y,W,H]");
}

void add_words_options(CLI::App& command, ModelNames& models) {
    command
        .add_option("--find", models.find,
                    "What an open-vocabulary detector (OWLv2) looks for, separated by commas")
        ->type_name("\"A, B\"");
    add_like_option(command, models.like);
    command
        .add_option("--labels", models.labels,
                    "What a zero-shot classifier (CLIP, SigLIP) chooses from, separated by commas")
        ->type_name("\"A, B\"");
    command
        .add_option("--ask", models.question,
                    "A question for a captioner that answers (BLIP-VQA, SmolVLM)")
        ->type_name("QUESTION");
}

void set_up_log(const CommonOptions& options) {
    spdlog::set_default_logger(
        std::make_shared<spdlog::logger>("saccade", std::make_shared<StderrLines>()));
    spdlog::set_level(options.verbose ? spdlog::level::info
                      : options.quiet ? spdlog::level::err
                                      : spdlog::level::warn);
}

}  // namespace saccade
