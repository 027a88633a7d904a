#include "app/classify.h"

#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/model_finder.h"
#include "app/picture_file.h"
#include "app/still_pictures.h"
#include "models/classifier.h"

namespace saccade {

namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

// The Hub's files for DeiT name ViT's preprocessing; the weights were trained, and their published
// accuracy measured, with this one.
Preprocessor deit_preprocessor(ImageSize input) {
    Preprocessor p;
    p.type = "DeiT";
    p.resize = Preprocessor::Resize::edges;
    p.shortest_edge = input.height * 256 / 224;
    p.filter = Filter::bicubic;
    p.crop = input;
    p.rescale_factor = 1.0 / 255.0;
    p.mean = {0.485, 0.456, 0.406};
    p.std_dev = {0.229, 0.224, 0.225};
    return p;
}

std::string as_text(const std::string& image, const std::vector<ClassScore>& classes,
                    const std::vector<std::string>& labels) {
    std::string text = image + "\n";
    char percent[16];
    for (const ClassScore& c : classes) {
        std::snprintf(percent, sizeof percent, "  %5.1f %%  ", 100.0 * double(c.score));
        text += percent + labels[c.id] + "\n";
    }
    return text;
}

std::string as_json(const std::string& image, const PictureView& picture,
                    const std::vector<ClassScore>& classes, const std::vector<std::string>& labels,
                    double decode_ms, const std::vector<ScopeTime>& times) {
    nlohmann::ordered_json line = {{"source", image},
                                   {"frame", 0},
                                   {"time", 0.0},
                                   {"width", picture.width},
                                   {"height", picture.height},
                                   {"classes", nlohmann::ordered_json::array()},
                                   {"ms", {{"decode", decode_ms}}}};
    for (const ClassScore& c : classes)
        line["classes"].push_back({{"label", labels[c.id]}, {"id", c.id}, {"score", c.score}});
    for (const ScopeTime& time : times) line["ms"][time.name] = time.ms;
    return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace

int classify(const ClassifyOptions& options) {
    Engine engine(options.common.engine());
    spdlog::info("running on {}", engine.device().info().name);
    auto begin = Clock::now();
    Classifier classifier =
        Classifier::open(engine.device(), find_model(options.classifier), engine.precision());
    spdlog::info("{} loaded in {:.0f} ms", options.classifier, ms_since(begin));
    for (const std::string& name : classifier.unused())
        spdlog::info("tensor '{}' is not used by this model", name);
    if (options.preprocess == "deit")
        classifier.use(
            deit_preprocessor({classifier.config().image_width, classifier.config().image_height}));

    Tap nobody;
    StillPictures pictures(engine, "classify", [&](Commands& c, const Image& image) {
        classifier.input().prepare({image.width(), image.height()});
        classifier.record(c, image, nobody);
    });
    return for_each_picture(options.images, [&](const std::string& image) {
        begin = Clock::now();
        const PictureFile file(image);
        const double decode_ms = ms_since(begin);
        pictures.run(image, file.view());
        const std::vector<ClassScore> classes = classifier.ranking().top(options.top);
        return options.json ? as_json(image, file.view(), classes, classifier.labels(), decode_ms,
                                      pictures.times())
                            : as_text(image, classes, classifier.labels());
    });
}

void add_classify_command(CLI::App& app, int& exit_code) {
    auto options = std::make_shared<ClassifyOptions>();
    CLI::App& command = *app.add_subcommand("classify", "Name what pictures show");
    command.add_option("images", options->images, "Picture files")->required()->type_name("IMAGE");
    add_model_option(command, Task::classify, options->classifier, Shown::photographs);
    command.add_option("--top", options->top, "How many classes to print")
        ->check(CLI::Range(1, 16).description(""))
        ->type_name("N")
        ->capture_default_str();
    command
        .add_option("--preprocess", options->preprocess,
                    "hub: as preprocessor_config.json says; deit: as DeiT was trained")
        ->check(CLI::IsMember({"hub", "deit"}).description(""))
        ->type_name("hub|deit")
        ->capture_default_str();
    command.add_flag("--json", options->json, "One JSON object per picture");
    add_common_options(command, options->common);
    command.footer(
        "Examples:\n"
        "  saccade classify cat.jpg dog.png --classifier vit-base-patch16-224\n"
        "  saccade classify *.jpg --classifier deit-tiny-patch16-224 --preprocess deit --json");
    command.callback([options, &exit_code] {
        set_up_log(options->common);
        exit_code = classify(*options);
    });
}

}  // namespace saccade
