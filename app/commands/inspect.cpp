#include "app/commands/inspect.h"

#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>

#include "app/draw/heat_map.h"
#include "app/explain/explanation_line.h"
#include "app/frame/slots.h"
#include "app/inspect/cause/explanation_sheet.h"
#include "app/inspect/npy.h"
#include "app/inspect/raw_maps.h"
#include "app/inspect/report.h"
#include "app/io/picture_file.h"
#include "app/io/print.h"
#include "app/io/progress.h"
#include "app/io/text.h"
#include "app/pipeline/attention_choice.h"
#include "app/sources/open_source.h"
#include "gpu/core/error.h"
#include "gpu/core/files.h"
#include "gpu/transfer/readback.h"

namespace saccade {

namespace {

// The picture to inspect, from a file or a frame of a source.
struct Subject {
    std::string name;
    cv::Mat pixels;
};

// Converts a video's frame to RGB on the device, as live and batch do.
cv::Mat bgr_of(Engine& engine, const Frame& frame) {
    frame.flush();
    const Readback readback(engine.device(), frame.width(), frame.height(), true);
    Commands commands(engine.device(), engine.scratch(), "frame");
    commands.begin();
    frame.record(commands);
    readback.record(commands, frame.image());
    commands.end();
    commands.run();
    return as_bgr(readback.picture()).clone();
}

Subject frame_of(Engine& engine, const SourceName& name, uint64_t number) {
    const std::unique_ptr<Source> source = open_source(name);
    const std::string text = name.text();
    if (source->traits().live) throw Error("'" + text + "' is live: name a file, or synth:");
    if (number > 0) source->seek(number);
    std::unique_ptr<Frame> frame;
    const auto found = source->next([&](const PixelLayout& layout) {
        frame = std::make_unique<Frame>(engine.device(), layout);
        return slot_of(*frame);
    });
    if (!found)
        throw Error("'" + text + "' has no frame " + std::to_string(number) +
                    ": choose an earlier one with --frame");
    return {text_of_name(std::filesystem::path(text).filename().native()) + ", frame " +
                std::to_string(number),
            bgr_of(engine, *frame)};
}

Subject subject_of(Engine& engine, const InspectOptions& options) {
    if (options.frame || options.image.starts_with("synth:"))
        return frame_of(engine, options.image, options.frame.value_or(0));
    const PictureFile file(options.image);
    return {text_of_name(file.path().filename().native()), as_bgr(file.view())};
}

glm::vec2 parse_point(const std::string& text) {
    if (const auto place = two_numbers<float>(text, ',')) return {place->first, place->second};
    throw Error("'" + text + "' is not a point; write X,Y in pixels, like 120,80");
}

// Checks all options before any file is written.
void check(const InspectOptions& options, const Subject& subject, const Study& study) {
    for (glm::vec2 point : options.points) {
        const auto size = subject.pixels.size();
        if (!(point.x >= 0 && point.y >= 0 && point.x < static_cast<float>(size.width) &&
              point.y < static_cast<float>(size.height)))
            throw Error("--at: the picture has " + std::to_string(size.width) + "x" +
                        std::to_string(size.height) + " pixels, but a point lies outside of it");
    }
    if (!options.points.empty() && study.encoders().empty())
        throw Error(
            "--at: the encoder of the model has no self-attention; leave --at out, or add a "
            "--classifier");
    for (const EncoderView& encoder : study.encoders())
        for (uint32_t layer : options.layers)
            if (layer >= encoder.attention.layers())
                throw Error("--layers " + std::to_string(layer) + ": the encoder of the " +
                            encoder.task + " has " + std::to_string(encoder.attention.layers()) +
                            " layers, counted from 0");
    if (options.points.empty() || !options.head) return;
    for (const EncoderView& encoder : study.encoders())
        if (*options.head >= encoder.attention.heads())
            throw Error("--head " + std::to_string(*options.head) + ": the encoder of the " +
                        encoder.task + " has " + std::to_string(encoder.attention.heads()) +
                        " heads, counted from 0");
}

// Everything that the page names: what can be explained of the picture.
std::vector<TargetChoice> targets_of(const Study& study) {
    std::vector<TargetChoice> targets;
    for (size_t i = 0; i < study.detections().size(); ++i) targets.push_back({.detection = i});
    for (size_t i = 0; i < study.classes().size(); ++i)
        if (i == 0 || study.classes()[i].p >= double(study.sure_above()))
            targets.push_back({.label = study.classes()[i].label});
    if (study.caption())
        for (size_t i = 0; i < study.caption()->words.size(); ++i) targets.push_back({.word = i});
    return targets;
}

std::vector<Explanation> explain_all(Engine& engine, const Models& models,
                                     const Study::Options& how, const Study& study, bool quiet) {
    Explainer explainer(engine, models, {.filter = how.filter, .size = how.size});
    std::vector<Explanation> all;
    const std::vector<TargetChoice> targets = targets_of(study);
    Progress progress("cause", targets.size(), quiet, "targets/s");
    progress.show_early();
    for (const TargetChoice& target : targets) {
        all.push_back(explainer.explain(study.picture(), target));
        progress.step();
    }
    return all;
}

// One object for each target, a sheet and the map in full precision.
void write_causes(const std::filesystem::path& folder, const Study& study,
                  const std::vector<Explanation>& all) {
    make_folder(folder);
    Lettering lettering;
    std::string lines;
    for (size_t i = 0; i < all.size(); ++i) {
        const Explanation& e = all[i];
        const std::string name = std::to_string(i) + "-" + e.target.kind;
        const uint64_t shape[] = {e.geometry.grid.y, e.geometry.grid.x};
        write_npy(folder / (name + ".npy"), shape, e.cause);
        write_picture(folder / (name + ".png"),
                      explanation_sheet(study.name(), study.picture(), e, lettering));
        lines += json_of(study.name(), e) + "\n";
    }
    NewFile file(folder / "causes.jsonl");
    file.write(lines);
    file.finish();
}

// Writes files into the folder, and prints their names.
class Results {
public:
    explicit Results(const std::string& folder) : folder_(folder) { make_folder(folder_); }

    void add(const std::string& name, const Sheet& sheet) {
        write_picture(folder_ / name, sheet.draw(lettering_));
        print((folder_ / name).string() + "\n");
    }
    template <typename Write>
    void add(const std::string& name, Write write) {
        write(folder_ / name);
        print((folder_ / name).string() + "\n");
    }

private:
    std::filesystem::path folder_;
    Lettering lettering_;
};

}  // namespace

int inspect(const InspectOptions& options) {
    Engine engine(options.common.engine());
    const Subject subject = subject_of(engine, options);
    Results results(options.out);
    spdlog::info("running on {}", engine.device().info().name);
    ModelsInUse models = ModelsInUse::open(engine, options.models);
    Study::Options how;
    how.names = options.models;
    how.size = options.wanted.size;
    if (models.detector) how.filter = options.wanted.filter(*models.detector);
    std::optional<Look> detection_look, word_look;
    const auto choice = [&](AttentionKind kind) {
        return look_of({kind, options.layer, options.head}, models.borrowed());
    };
    if (models.detector) detection_look = choice(AttentionKind::detection);
    if (models.captioner) word_look = choice(AttentionKind::word);
    how.word_look = word_look.value_or(Look{});
    const Study study(engine, models, subject.name, view_of(subject.pixels), how);
    check(options, subject, study);

    std::vector<Explanation> causes;
    if (options.cause)
        causes = explain_all(engine, models.borrowed(), how, study, options.common.quiet);
    for (const EncoderView& encoder : study.encoders()) {
        if (encoder.class_token) results.add("class-token.png", class_token_sheet(study, encoder));
        if (!encoder.rollout.empty()) results.add("rollout.png", rollout_sheet(study, encoder));
        if (!options.points.empty())
            results.add("points-" + encoder.task + ".png",
                        point_sheet(study, encoder, options.points, options.head));
    }
    for (const PhraseView& view : study.phrase_views())
        results.add("phrases-" + view.task + ".png", phrase_sheet(study, view));
    for (const FeatureView& view : study.feature_views()) {
        results.add("colours-" + view.task + ".png", colours_sheet(study, view));
        if (!options.points.empty())
            results.add("similarity-" + view.task + ".png",
                        similarity_sheet(study, view, options.points));
    }
    if (detection_look && study.detections().empty())
        spdlog::warn("no detection scores above {}; try a lower --threshold", how.filter.threshold);
    else if (detection_look)
        results.add("detections.png", detection_sheet(study, *detection_look));
    if (word_look && !study.caption()->words.empty())
        results.add("words.png", word_sheet(study, *word_look));
    results.add("report.html", [&](const std::filesystem::path& path) {
        write_report(study,
                     {options.layers, options.layer, options.head, detection_look.value_or(Look{}),
                      word_look.value_or(Look{}), causes},
                     path);
    });
    if (options.cause)
        results.add("cause", [&](const std::filesystem::path& folder) {
            write_causes(folder, study, causes);
        });
    if (options.raw)
        results.add("raw", [&](const std::filesystem::path& folder) {
            make_folder(folder);
            write_raw_maps(study, options.layers, folder);
        });
    return 0;
}

void add_inspect_command(CLI::App& app, int& exit_code) {
    auto options = std::make_shared<InspectOptions>();
    CLI::App& command = *app.add_subcommand("inspect", "Show what models attend to in a picture");
    command.add_option("image", options->image, "A picture, a video (with --frame), or synth:")
        ->required()
        ->type_name("IMAGE");
    command.add_option("-o,--out", options->out, "Folder for report.html and the sheets")
        ->required()
        ->type_name("FOLDER");
    add_model_options(command, options->models);
    add_words_options(command, options->models);
    command.add_option("--frame", options->frame, "Frame of a video or of synth:, counted from 0")
        ->type_name("N");
    command
        .add_option_function<std::vector<std::string>>(
            "--at",
            [options](const std::vector<std::string>& texts) {
                try {
                    for (const std::string& text : texts)
                        options->points.push_back(parse_point(text));
                } catch (const Error& error) {
                    throw CLI::ValidationError("--at", error.what());
                }
            },
            "Write a sheet of the attention of the patch at this point; may be repeated")
        ->allow_extra_args(false)
        ->type_name("X,Y");
    command
        .add_option("--layer", options->layer,
                    "Layer for the sheets of detections and words; the clearest if left out")
        ->type_name("L");
    command.add_option("--head", options->head, "Head of that layer; the mean of all if left out")
        ->type_name("H");
    command
        .add_option(
            "--layers", options->layers,
            "Layers of self-attention in the page and the raw maps; as many as fit if left out")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("A,B");
    add_detection_options(command, options->wanted);
    command.add_flag("--cause", options->cause,
                     "Also find out what every detection, class and word needs, by knocking cells "
                     "and heads out: some 250 runs of the model each");
    command.add_flag("--raw", options->raw,
                     "Also write all maps in full precision, as .npy and .safetensors files");
    add_common_options(command, options->common);
    command.footer(
        "A model may be 'none'. Open report.html in a browser; the page needs no other file.\n"
        "Examples:\n"
        "  saccade inspect dog.jpg -o dog\n"
        "  saccade inspect cats.jpg -o cats --detector detr-resnet-50 --classifier none "
        "--captioner none --at 120,80 --at 400,200\n"
        "  saccade inspect synth:?seed=7 --frame 40 -o out --raw");
    command.callback([options, &exit_code] {
        ModelNames& names = options->models;
        names = names.or_default(imagery_of(options->image));
        if (names.classifier == "none" && names.detector == "none" && names.captioner == "none")
            throw CLI::ValidationError("--classifier, --detector, --captioner",
                                       "are all none; name at least one model");
        set_up_log(options->common);
        std::ranges::sort(options->layers);
        const auto twice = std::ranges::unique(options->layers);
        options->layers.erase(twice.begin(), twice.end());
        exit_code = inspect(*options);
    });
}

}  // namespace saccade
