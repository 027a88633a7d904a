#include "app/commands/classify.h"

#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <memory>

#include "app/hub/model_finder.h"
#include "app/io/clock.h"
#include "app/io/picture_file.h"
#include "app/io/text.h"
#include "app/pipeline/models_in_use.h"
#include "app/pipeline/still_pictures.h"
#include "gpu/core/error.h"
#include "models/classifier.h"
#include "models/contrast/phrases.h"

namespace saccade {

namespace {

using Clock = std::chrono::steady_clock;

// The preprocessing with which DeiT was trained and its accuracy was measured; the Hub's files for
// DeiT name ViT's instead.
Preprocessor deit_preprocessor(Size input) {
    Preprocessor p;
    p.type = "DeiT";
    p.resize = Preprocessor::Resize::edges;
    p.shortest_edge = input.y * 256 / 224;
    p.filter = Filter::bicubic;
    p.crop = input;
    p.rescale_factor = 1.0 / 255.0;
    p.mean = {0.485, 0.456, 0.406};
    p.std_dev = {0.229, 0.224, 0.225};
    return p;
}

std::string as_text(const std::string& image, const std::vector<ClassScore>& classes,
                    const std::vector<std::string>& labels) {
    std::string text = one_line(image) + "\n";
    char percent[16];
    for (const ClassScore& c : classes) {
        std::snprintf(percent, sizeof percent, "  %5.1f %%  ", 100.0 * double(c.score));
        text += percent + one_line(labels[c.id]) + "\n";
    }
    return text;
}

}  // namespace

int classify(const ClassifyOptions& options) {
    Engine engine(options.common.engine());
    spdlog::info("running on {}", engine.device().info().name);
    auto begin = Clock::now();
    Classifier classifier = Classifier::open(engine.device(), find_model(options.classifier),
                                             engine.precision(), {}, Tokenizer::open, options.as);
    spdlog::info("{} loaded in {:.0f} ms", options.classifier, ms_since(begin));
    for (const std::string& name : classifier.unused())
        spdlog::info("tensor '{}' is not used by this model", name);
    tell(classifier, options.labels, options.pattern);
    if (const Phrases* phrases = classifier.phrases())
        for (const std::string& label : phrases->labels())
            spdlog::info("'{}' is read as '{}'", label, phrases->prompt(label));
    if (classifier.labels().empty())
        throw Error(options.classifier +
                    " has no classification head, so it cannot name objects; to see its attention, "
                    "use saccade inspect IMAGE --classifier " +
                    options.classifier + ", or saccade live --classifier " + options.classifier);
    if (options.preprocess == "deit")
        classifier.use(deit_preprocessor(classifier.model().picture()));

    Tap none;
    StillPictures pictures(engine, "classify", [&](Commands& c, const Image& image) {
        classifier.prepare({image.width(), image.height()});
        classifier.record(c, image, none);
    });
    return for_each_picture(options.images, [&](const std::string& image) {
        begin = Clock::now();
        const PictureFile file(image);
        const double decode_ms = ms_since(begin);
        pictures.run(image, file.view());
        const std::vector<ClassScore> classes = classifier.ranking().top(options.top);
        if (!options.json) return as_text(image, classes, classifier.labels());
        FrameResult result = pictures.result(image, decode_ms);
        result.classes = classes;
        return line_of(result, {.classifier = classifier.labels()}) + "\n";
    });
}

void add_classify_command(CLI::App& app, int& exit_code) {
    auto options = std::make_shared<ClassifyOptions>();
    CLI::App& command = *app.add_subcommand("classify", "Name the main object of pictures");
    command.add_option("images", options->images, "Picture files")->required()->type_name("IMAGE");
    add_model_option(command, Task::classify, options->classifier, Imagery::photographs);
    add_as_option(command, options->as);
    command.add_option("--top", options->top, "Print the N best classes")
        ->check(CLI::Range(1, 16).description(""))
        ->type_name("N")
        ->capture_default_str();
    command
        .add_option("--labels", options->labels,
                    "What a zero-shot classifier (CLIP, SigLIP) chooses from, separated by commas")
        ->type_name("\"A, B\"");
    command
        .add_option("--template", options->pattern,
                    "The sentence it reads for each label, with {} for the label; that of the "
                    "model's paper if left out")
        ->type_name("TEXT");
    command
        .add_option("--preprocess", options->preprocess,
                    "Resize and crop as the model's files say (hub), or as DeiT was trained (deit)")
        ->check(CLI::IsMember({"hub", "deit"}).description(""))
        ->type_name("hub|deit")
        ->capture_default_str();
    command.add_flag("--json", options->json, "Print one JSON object per picture");
    add_common_options(command, options->common);
    command.footer(
        "Examples:\n"
        "  saccade classify cat.jpg dog.png --classifier vit-base-patch16-224\n"
        "  saccade classify cat.jpg --classifier openai/clip-vit-base-patch32 --labels \"cat, "
        "dog\"\n"
        "  saccade classify *.jpg --classifier deit-tiny-patch16-224 --preprocess deit --json");
    command.callback([options, &exit_code] {
        set_up_log(options->common);
        exit_code = classify(*options);
    });
}

}  // namespace saccade
