#include "app/commands/lecture.h"

#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <set>

#include "app/hub/model_finder.h"
#include "app/io/picture_file.h"
#include "app/io/progress.h"
#include "app/io/text.h"
#include "app/lecture/lecture.h"
#include "app/pipeline/still_pictures.h"
#include "gpu/core/files.h"
#include "models/files/json.h"

namespace saccade {

namespace {

constexpr const char* older_captioner = "photo-captioner-2015";

// The page's path, after its picture; pictures of the same name are numbered.
std::filesystem::path path_for(const std::string& image, const std::filesystem::path& folder,
                               std::set<std::string>& taken) {
    const std::string stem = std::filesystem::path(image).stem().string() + "-lecture";
    std::string name = stem;
    for (int i = 2; !taken.insert(name).second; ++i) name = stem + "-" + std::to_string(i);
    return folder / (name + ".html");
}

}  // namespace

int lecture(const LectureOptions& options) {
    Engine engine(options.common.engine());
    spdlog::info("running on {}", engine.device().info().name);
    const std::string texts = options.texts.empty() ? "" : read_json(options.texts).dump();
    make_folder(options.out);
    ModelsInUse models = ModelsInUse::open(engine, options.models);
    const ModelsInUse older = ModelsInUse::open(engine, {.captioner = options.recurrent});
    LectureModels with{.models = models.borrowed(),
                       .recurrent = older.captioner.get(),
                       .names = options.models,
                       .recurrent_name = options.recurrent,
                       .filter = {}};
    if (models.detector) with.filter = options.wanted.filter(*models.detector);
    std::set<std::string> taken;
    return for_each_picture(options.images, [&](const std::string& image) {
        const PictureFile file(image);
        const std::filesystem::path path = path_for(image, options.out, taken);
        Progress progress(image, 0, options.common.quiet, "steps/s");
        naming(image, [&] {
            write_lecture(
                engine, with, text_of_name(file.path().filename().native()), file.view(), texts,
                [&](const std::string& what) {
                    progress.turn_to(image + ": " + what);
                    progress.step();
                },
                path);
        });
        return path.string() + "\n";
    });
}

void add_lecture_command(CLI::App& app, int& exit_code) {
    auto options = std::make_shared<LectureOptions>();
    CLI::App& command = *app.add_subcommand(
        "lecture", "Write a page that explains the models on a picture, step by step");
    command.add_option("images", options->images, "Picture files")->required()->type_name("IMAGE");
    command.add_option("-o,--out", options->out, "Folder for the pages, one for each picture")
        ->required()
        ->type_name("FOLDER");
    add_model_options(command, options->models);
    add_words_options(command, options->models);
    command
        .add_option("--recurrent", options->recurrent,
                    "A second captioner, shown beside the first; the bundled one of 2015 beside "
                    "the bundled captioner if left out")
        ->type_name("MODEL");
    command
        .add_option("--texts", options->texts,
                    "A translation of the page's texts, in the form of app/lecture/page/texts.json")
        ->type_name("FILE")
        ->check(CLI::ExistingFile.description(""));
    add_detection_options(command, options->wanted);
    add_common_options(command, options->common);
    command.footer(
        "A model may be 'none'; what it would show is left out. Open the page in a browser; it "
        "needs no other file.\n"
        "Examples:\n"
        "  saccade lecture dog.jpg -o dog\n"
        "  saccade lecture dog.jpg -o dog --classifier google/vit-base-patch16-224\n"
        "  saccade lecture cats.jpg -o cats --detector facebook/detr-resnet-50 --captioner none");
    command.callback([options, &exit_code] {
        ModelNames& names = options->models;
        const bool own_captioner = !names.captioner.empty();
        names = names.or_default(Imagery::photographs);
        if (names.classifier == "none" && names.detector == "none" && names.captioner == "none")
            throw CLI::ValidationError("--classifier, --detector, --captioner",
                                       "are all none; name at least one model");
        if (options->recurrent.empty())
            options->recurrent =
                own_captioner || !bundled_model(older_captioner) ? "none" : older_captioner;
        set_up_log(options->common);
        exit_code = lecture(*options);
    });
}

}  // namespace saccade
