#include "app/hub/model_finder.h"

#include <dlfcn.h>

#include "app/io/text.h"
#include "gpu/core/error.h"
#include "models/files/is_there.h"
#include "models/files/json.h"

namespace saccade {

namespace {

// The shared library or program that this function is part of; empty if it cannot be told.
std::filesystem::path own_file() {
    Dl_info info{};
    const auto* const self = reinterpret_cast<const void*>(&own_file);
    if (::dladdr(self, &info) == 0 || !info.dli_fname) return {};
    std::error_code error;
    const std::filesystem::path file = std::filesystem::canonical(info.dli_fname, error);
    return error ? std::filesystem::path() : file;
}

}  // namespace

ModelPlaces ModelPlaces::of_this_machine() {
    ModelPlaces places;
    std::error_code error;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
    if (!error) {
        const std::filesystem::path folder = program.parent_path();
        places.bundled = {folder / "models", folder.parent_path() / "share" / "saccade" / "models"};
    }
    // libsaccade.so lies in lib or in lib/ARCHITECTURE.
    const std::filesystem::path library = own_file();
    if (!library.empty() && library != program)
        for (auto folder = library.parent_path(); folder.has_relative_path();
             folder = folder.parent_path())
            places.bundled.push_back(folder / "share" / "saccade" / "models");
    // Where this was built; packages name no such folder.
    if (*SACCADE_PRETRAINED_DIR) places.bundled.emplace_back(SACCADE_PRETRAINED_DIR);
    return places;
}

std::optional<std::filesystem::path> bundled_model(const std::string& name,
                                                   const ModelPlaces& places) {
    if (!is_hub_name(name) || name.find('/') != name.npos) return std::nullopt;
    for (const auto& folder : places.bundled)
        if (is_there(folder / name / "config.json")) return folder / name;
    return std::nullopt;
}

std::optional<std::filesystem::path> sample_picture(const ModelPlaces& places) {
    for (const auto& folder : places.bundled)
        if (is_there(folder / "sample.jpg")) return folder / "sample.jpg";
    return std::nullopt;
}

std::optional<std::filesystem::path> cached_model(const HubModel& model, const HubCache& cache,
                                                  StoredWeights weights) {
    std::vector<std::filesystem::path> snapshots;
    if (!model.revision) {
        const CatalogueModel* const known = find_in_catalogue(model.name);
        snapshots = cache.snapshots(model.name, known ? known->revision : std::nullopt);
    } else if (const auto commit = cache.commit(model.name, *model.revision)) {
        snapshots = {cache.snapshot(model.name, *commit)};
    }
    for (const auto& folder : snapshots)
        if (is_there(folder / "config.json") && weights_in(folder) == weights) return folder;
    return std::nullopt;
}

std::string default_model(Task task, Imagery imagery) {
    const std::string kind = imagery == Imagery::emoji ? "emoji-" : "photo-";
    return kind + std::string(option_of(task).substr(2));
}

// "did you mean 'emoji-detector'? ", or nothing.
static std::string meant(const std::string& name) {
    std::vector<std::string> names;
    for (const CatalogueModel& model : catalogue()) {
        names.push_back(model.name);
        if (!model.bundled()) names.push_back(model.name.substr(model.name.find('/') + 1));
    }
    const std::string best = closest(name, names);
    return best.empty() ? "" : "did you mean " + in_quotes(best) + "? ";
}

std::filesystem::path find_model(const std::string& name, const ModelPlaces& places) {
    if (is_there(name)) return name;
    if (const auto bundled = bundled_model(name, places)) return *bundled;

    auto model = HubModel::parse(name);
    if (!model)
        throw Error(in_quotes(name) +
                    " is not a model folder: it does not exist; name a folder with config.json and "
                    "model.safetensors, or a model that 'saccade models list' lists");
    const CatalogueModel* const known = find_in_catalogue(model->name);
    if (known && known->bundled())
        throw Error(in_quotes(name) +
                    " is bundled with Saccade, but missing from this copy; it belongs into " +
                    places.bundled.back().string());
    if (known) model->name = known->name;
    if (const auto folder = cached_model(*model, places.hub, StoredWeights::safetensors))
        return *folder;

    const std::string pull = "'saccade models pull " + model->text() + "'";
    if (cached_model(*model, places.hub, StoredWeights::pickle))
        throw Error(model->text() + " is on this machine only as a Python pickle; " + pull +
                    " converts it to safetensors");
    if (!known && model->name.find('/') == model->name.npos)
        throw Error(in_quotes(name) +
                    " is not a model folder, not a bundled model and not a model of the Hub; " +
                    meant(name) + "'saccade models list' shows the known ones");
    const std::string other = known ? "" : meant(model->name);
    throw Error(
        model->text() + " is not on this machine; " + other + pull + " downloads it" +
        (known && known->megabytes ? ", " + std::to_string(*known->megabytes) + " MB" : ""));
}

std::string title_of(const std::string& name) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(name, ignored)) return name;
    return std::filesystem::canonical(name, ignored).filename().string();
}

}  // namespace saccade
