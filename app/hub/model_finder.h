#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/hub/hub_cache.h"
#include "app/hub/model_catalogue.h"
#include "models/files/checkpoint.h"

namespace saccade {

// Where models are on this machine.
struct ModelPlaces {
    // Folders that hold model folders; the first that has a model wins.
    std::vector<std::filesystem::path> bundled;
    HubCache hub;

    // Bundled models are beside the program or above libsaccade.so, in the share folder of where it
    // is installed, or in the source it was built from.
    static ModelPlaces of_this_machine();
};

// The folder of a bundled model; nullopt if this copy of Saccade does not have it.
std::optional<std::filesystem::path> bundled_model(
    const std::string& name, const ModelPlaces& places = ModelPlaces::of_this_machine());

// A photograph of a cat that lies beside the bundled models; nullopt if this copy does not have it.
std::optional<std::filesystem::path> sample_picture(
    const ModelPlaces& places = ModelPlaces::of_this_machine());

// The cached snapshot of a model with weights of this kind. Without a revision: main, then the one
// in the catalogue, then others.
std::optional<std::filesystem::path> cached_model(const HubModel& model, const HubCache& cache,
                                                  StoredWeights weights);

// What a source shows: the synthetic camera shows emoji, all others photographs.
enum class Imagery { photographs, emoji };

// The name of the bundled model for a task, if the user names none.
std::string default_model(Task task, Imagery imagery);
// The same for a name that may be empty.
inline std::string model_or_default(const std::string& name, Task task, Imagery imagery) {
    return name.empty() ? default_model(task, imagery) : name;
}

// The folder that a --classifier, --detector or --captioner means: a folder, the name of a bundled
// model, or a model of the Hub that is in this machine's cache, as NAME[@REVISION]. For any other
// model, an Error says how to get it. The content of the folder is not checked.
std::filesystem::path find_model(const std::string& name,
                                 const ModelPlaces& places = ModelPlaces::of_this_machine());

// A short title for a model; for a folder, the last part of its path.
std::string title_of(const std::string& name);

}  // namespace saccade
