#include "app/commands/explain.h"

#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <set>

#include "app/explain/explanation_line.h"
#include "app/inspect/cause/explanation_sheet.h"
#include "app/io/picture_file.h"
#include "app/io/text.h"
#include "app/pipeline/still_pictures.h"
#include "gpu/core/files.h"

namespace saccade {

namespace {

// Only the models that the target may come from are loaded.
ModelNames needed(ModelNames names, const TargetChoice& target) {
    const bool word = target.word.has_value();
    if (word || target.detection) names.classifier = "none";
    if (word) names.detector = "none";
    if (!word) names.captioner = "none";
    if (names.classifier == "none") names.labels.clear();
    if (names.detector == "none") names.find.clear(), names.like.clear();
    if (names.captioner == "none") names.question.clear();
    return names;
}

// The sheets, named after their pictures; pictures of the same name are numbered.
class Sheets {
public:
    explicit Sheets(const std::string& folder) : folder_(folder) {
        if (!folder.empty()) make_folder(folder_);
    }
    void write(const std::string& image, const PictureView& picture, const Explanation& e) {
        if (folder_.empty()) return;
        if (!lettering_) lettering_ = std::make_unique<Lettering>();
        const std::filesystem::path path(image);
        const std::string stem = path.stem().string() + "-explained";
        std::string name = stem;
        for (int i = 2; !taken_.insert(name).second; ++i) name = stem + "-" + std::to_string(i);
        write_picture(
            folder_ / (name + ".png"),
            explanation_sheet(text_of_name(path.filename().native()), picture, e, *lettering_));
    }

private:
    std::filesystem::path folder_;
    std::unique_ptr<Lettering> lettering_;
    std::set<std::string> taken_;
};

void add_target_options(CLI::App& command, ExplainOptions& options) {
    CLI::Option& label = *command
                              .add_option("--target", options.target.label,
                                          "A class of the classifier, or else of a detection")
                              ->type_name("NAME");
    CLI::Option& detection =
        *command
             .add_option("--detection", options.target.detection,
                         "The N-th detection, the strongest first, counted from 0")
             ->type_name("N");
    CLI::Option& word =
        *command
             .add_option("--word", options.target.word,
                         "The N-th word of the caption, or of the answer to --ask, counted from 0")
             ->type_name("N");
    label.excludes(&detection)->excludes(&word);
    detection.excludes(&word);
    const std::map<std::string, CellInstead> fills{{"blank", CellInstead::blank},
                                                   {"blur", CellInstead::blur},
                                                   {"drop", CellInstead::drop},
                                                   {"hide", CellInstead::hide}};
    command
        .add_option("--cells", options.trials.instead,
                    "What a cell becomes: blank, the mean colour of the model's preprocessing; "
                    "blur; drop, its tokens are left out of a plain ViT; or hide, the decoder "
                    "alone does not see its tokens; blank if left out")
        ->transform(CLI::CheckedTransformer(fills).description(""))
        ->type_name("blank|blur|drop|hide");
    const std::map<std::string, KnockOuts::Instead> kinds{{"zero", KnockOuts::Instead::zero},
                                                          {"mean", KnockOuts::Instead::mean}};
    command
        .add_option("--heads", options.trials.head_instead,
                    "What a head's output becomes: zero, or its mean over the picture; zero if "
                    "left out")
        ->transform(CLI::CheckedTransformer(kinds).description(""))
        ->type_name("zero|mean");
    command
        .add_option("--grid", options.trials.most_cells,
                    "At most N cells along the picture's longer side, of whole patches")
        ->check(CLI::Range(2, 64).description(""))
        ->type_name("N")
        ->capture_default_str();
    command.add_flag("--whole", options.whole,
                     "Knock out every cell on its own, not only where it matters");
    command.add_flag("--map-only", options.map_only, "Leave out the heads and the meter");
}

}  // namespace

int explain(const ExplainOptions& options) {
    Engine engine(options.common.engine());
    spdlog::info("running on {}", engine.device().info().name);
    ModelsInUse models = ModelsInUse::open(engine, needed(options.models, options.target));
    Explainer::Options how{.filter = {},
                           .trials = options.trials,
                           .whole = options.whole,
                           .heads = !options.map_only,
                           .meter = !options.map_only};
    how.size = options.wanted.size;
    if (models.detector) how.filter = options.wanted.filter(*models.detector);
    Explainer explainer(engine, models.borrowed(), how);
    Sheets sheets(options.out);
    return for_each_picture(options.images, [&](const std::string& image) {
        const PictureFile file(image);
        return naming(image, [&] {
            const Explanation e = explainer.explain(file.view(), options.target);
            sheets.write(image, file.view(), e);
            return options.json ? json_of(image, e) + "\n" : text_of(image, e);
        });
    });
}

void add_explain_command(CLI::App& app, int& exit_code) {
    auto options = std::make_shared<ExplainOptions>();
    CLI::App& command = *app.add_subcommand(
        "explain", "Show what an answer needs: cells and heads knocked out one by one");
    command.add_option("images", options->images, "Picture files")->required()->type_name("IMAGE");
    add_target_options(command, *options);
    add_model_options(command, options->models);
    add_words_options(command, options->models);
    add_detection_options(command, options->wanted);
    command
        .add_option("-o,--out", options->out,
                    "Write a sheet for each picture into this folder: the map of what the target "
                    "needs, attention, heads, and what each map is worth")
        ->type_name("FOLDER");
    command.add_flag("--json", options->json, "Print one JSON object per picture");
    add_common_options(command, options->common);
    command.footer(
        "Without a target it is the strongest detection, or else the likeliest class.\n"
        "Examples:\n"
        "  saccade explain dog.jpg -o dog\n"
        "  saccade explain dog.jpg --target \"dog\" --json\n"
        "  saccade explain street.jpg --detection 2 --cells blur -o out\n"
        "  saccade explain beach.jpg --word 1 -o out");
    command.callback([options, &exit_code] {
        ModelNames& names = options->models;
        names = names.or_default(Imagery::photographs);
        set_up_log(options->common);
        exit_code = explain(*options);
    });
}

}  // namespace saccade
