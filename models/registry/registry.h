#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "models/files/implementation.h"
#include "models/files/json.h"

// The list of all supported models. models/README.md says how to add one.

namespace saccade {

class CaptionModel;
class ClassificationModel;
class DetectionModel;
class WeightLoader;
struct Preprocessor;
struct PublishedModel;

enum class Task { classify, detect, caption };

// The arguments for making a model.
struct ModelSource {
    const Json& config;        // config.json
    const std::string& where;  // its name, for errors
    WeightLoader& weights;
    // Loads the part before the first norm: `weights`, or a loader that stores fp32.
    WeightLoader& front;
    // by_weights is transformers for families whose files do not tell.
    Implementation as = Implementation::by_weights;
};

// The models of one model_type.
struct Family {
    using Classifier = std::unique_ptr<ClassificationModel> (*)(const ModelSource&);
    using Detector = std::unique_ptr<DetectionModel> (*)(const ModelSource&);
    using Captioner = std::unique_ptr<CaptionModel> (*)(const ModelSource&);

    std::string_view type;  // config.json's model_type
    // timm's folders have `architecture` instead of model_type; it begins with `type` and '_'.
    bool timm = false;
    // The authors' own folders have this object in config.json instead of model_type, and other
    // names of tensors; empty: none are read.
    std::string_view authors = {};
    // Reads the rest of config.json and loads the weights. The alternative determines the task.
    std::variant<Classifier, Detector, Captioner> make;
    // transformers' image processor without its suffixes, for folders that name none.
    std::string_view image_processor;
    // The prefix of tied weights, which files leave out.
    std::string_view tied = {};
    // Its published sizes, for benchmarks on synthetic weights.
    std::vector<PublishedModel> (*published)() = nullptr;

    Task task() const { return static_cast<Task>(make.index()); }
};

std::span<const Family> families();

// The family of a config.json. An Error that lists all families if it is none of them; `where`, a
// file name, starts the message.
const Family& family_of(const Json& config, const std::string& where);
// The same, and an Error if it is for another task.
const Family& family_for(Task task, const Json& config, const std::string& where);
// The same for a model folder.
const Family& family_of(const std::filesystem::path& folder);

// The folder's preprocessor.
Preprocessor read_preprocessor(const std::filesystem::path& folder, const Json& config,
                               const std::string& where);

}  // namespace saccade
