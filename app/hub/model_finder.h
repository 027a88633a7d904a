#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/hub/hub_cache.h"
#include "app/hub/model_catalogue.h"
#include "models/files/checkpoint.h"

namespace saccade {

// Where models lie on this machine.
struct ModelPlaces {
    // Folders of model folders. Of two bundled models of one name, the first is taken.
    std::vector<std::filesystem::path> bundled;
    HubCache hub;

    // Bundled models are beside the program, in the share folder of where it is installed, or in
    // the source it was built from.
    static ModelPlaces of_this_machine();
};

// The folder of a model that comes with Saccade; nullopt where this copy does not have it.
std::optional<std::filesystem::path> bundled_model(
    const std::string& name, const ModelPlaces& places = ModelPlaces::of_this_machine());

// Where the cache has a model with such weights. Without a revision any will do: main, then the one
// that the catalogue names, then others.
std::optional<std::filesystem::path> cached_model(const HubModel& model, const HubCache& cache,
                                                  StoredWeights weights);

// What pictures show: the synthetic camera emoji, all others the world.
enum class Imagery { photographs, emoji };

// The name of the bundled model that does a task where no other is asked for.
std::string default_model(Task task, Imagery imagery);
// The same where a name may have been left out.
inline std::string model_or_default(const std::string& name, Task task, Imagery imagery) {
    return name.empty() ? default_model(task, imagery) : name;
}

// The folder that a --classifier, --detector or --captioner means: a folder, the name of a bundled
// model, or a model of the Hub that is in this machine's cache, as NAME[@REVISION]. For what is
// elsewhere an Error says how to get it. What the folder holds is not looked at.
std::filesystem::path find_model(const std::string& name,
                                 const ModelPlaces& places = ModelPlaces::of_this_machine());

// What to call a model that find_model knows by this name: of a folder, the last part of its path.
std::string title_of(const std::string& name);

}  // namespace saccade
