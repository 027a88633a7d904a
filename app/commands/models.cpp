#include "app/commands/models.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "app/commands/models_verify.h"
#include "app/hub/model_finder.h"
#include "app/hub/model_list.h"
#include "app/hub/model_pull.h"
#include "app/io/print.h"
#include "gpu/core/error.h"
#include "models/files/json.h"
#include "models/files/pytorch.h"

namespace saccade {
namespace {

struct PullOptions {
    std::vector<std::string> models;
    bool offline = false, quiet = false;
};

HubModel hub_model(const std::string& name) {
    auto model = HubModel::parse(name);
    if (!model)
        throw Error(in_quotes(name) +
                    " is not the name of a model at the Hub; such a name is like "
                    "facebook/detr-resnet-50 or facebook/detr-resnet-50@main");
    const CatalogueModel* const known = find_in_catalogue(model->name);
    if (known && known->bundled())
        throw Error(in_quotes(name) + " is bundled with Saccade and needs no download");
    if (known) model->name = known->name;
    return *model;
}

// Finds the model in the cache and makes it ready to run, without network access.
std::filesystem::path pull_offline(const HubModel& model, const HubCache& cache) {
    if (const auto folder = cached_model(model, cache, StoredWeights::safetensors)) return *folder;
    const auto pickle = cached_model(model, cache, StoredWeights::pickle);
    if (!pickle)
        throw Error(model.text() +
                    " is not on this machine; to download it, leave out --offline and unset "
                    "HF_HUB_OFFLINE");
    convert_pytorch(*pickle);
    return *pickle;
}

void pull(const PullOptions& options) {
    HubSettings settings = HubSettings::from_environment();
    settings.offline |= options.offline;
    const HubCache cache;
    std::vector<HubModel> models;
    for (const std::string& name : options.models) models.push_back(hub_model(name));
    for (const HubModel& model : models) {
        std::filesystem::path folder;
        if (settings.offline) {
            folder = pull_offline(model, cache);
        } else {
            TransferProgress progress(model.text(), TransferProgress::style_for(options.quiet));
            folder = pull_model(model, cache, settings, progress);
        }
        print(folder.string() + "\n");
    }
}

void add_list(CLI::App& models) {
    auto json = std::make_shared<bool>(false);
    CLI::App& command = *models.add_subcommand(
        "list", "List models that are bundled, downloaded, or known to work");
    command.add_flag("--json", *json, "Print JSON");
    command.footer("Examples:\n  saccade models list\n  saccade models list --json");
    command.callback([json] { print(list_models(ModelPlaces::of_this_machine(), *json)); });
}

void add_path(CLI::App& models) {
    auto name = std::make_shared<std::string>();
    CLI::App& command = *models.add_subcommand("path", "Print the folder of a model");
    command.add_option("model", *name, "A model folder, a bundled model or a Hub name")
        ->required()
        ->type_name("MODEL");
    command.footer("Examples:\n  saccade models path facebook/detr-resnet-50");
    command.callback([name] { print(find_model(*name).string() + "\n"); });
}

void add_pull(CLI::App& models) {
    auto options = std::make_shared<PullOptions>();
    CLI::App& command = *models.add_subcommand("pull", "Download models from the Hugging Face Hub");
    command.add_option("models", options->models, "Names of models at the Hub")
        ->required()
        ->type_name("NAME[@REVISION]");
    command.add_flag("--offline", options->offline,
                     "Use no network; only check what is already downloaded");
    command.add_flag("--quiet", options->quiet, "Print no progress");
    command.footer(
        "Files go into the cache that transformers uses too (HF_HOME changes where it is). Private "
        "and\n"
        "gated models need an access token in HF_TOKEN. HF_ENDPOINT names another Hub.\n"
        "Examples:\n"
        "  saccade models pull facebook/detr-resnet-50\n"
        "  saccade models pull yolos-tiny google/vit-base-patch16-224@main --quiet");
    command.callback([options] {
        CommonOptions common;
        common.quiet = options->quiet;
        set_up_log(common);
        pull(*options);
    });
}

void add_verify(CLI::App& models) {
    auto options = std::make_shared<VerifyOptions>();
    options->common.precision = "fp32";
    CLI::App& command = *models.add_subcommand(
        "verify", "Check that a model is complete and computes what it should");
    command.add_option("model", options->model, "A model folder, a bundled model or a Hub name")
        ->required()
        ->type_name("MODEL");
    command
        .add_option("--image", options->image,
                    "Picture 000000039769 of COCO val2017: compare the results with published ones")
        ->type_name("FILE");
    add_as_option(command, options->as);
    add_common_options(command, options->common);
    command.footer(
        "Examples:\n"
        "  saccade models verify emoji-detector\n"
        "  saccade models verify facebook/detr-resnet-50 --image 000000039769.jpg");
    command.callback([options] {
        set_up_log(options->common);
        verify_model(*options);
    });
}

}  // namespace

void add_models_command(CLI::App& app) {
    CLI::App& models = *app.add_subcommand("models", "Find, fetch and check models");
    models.require_subcommand(1);
    models.footer(
        "Examples:\n"
        "  saccade models list\n"
        "  saccade models pull facebook/detr-resnet-50\n"
        "'saccade models COMMAND --help' tells more.");
    add_list(models);
    add_path(models);
    add_pull(models);
    add_verify(models);
}

}  // namespace saccade
