#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "models/files/json.h"

// The one list of the models that Saccade runs. models/README.md says how to add one.

namespace saccade {

class CaptionModel;
class ClassificationModel;
class DetectionModel;
class WeightLoader;
struct Preprocessor;
struct PublishedModel;

// What a model answers.
enum class Task { classify, detect, caption };

// What a model is made from.
struct ModelSource {
    const Json& config;        // config.json
    const std::string& where;  // its name, for errors
    WeightLoader& weights;
    // Loads what lies before the first norm: `weights` itself, or one that stores it in fp32.
    WeightLoader& front;
};

// Models that config.json calls by one name.
struct Family {
    using Classifier = std::unique_ptr<ClassificationModel> (*)(const ModelSource&);
    using Detector = std::unique_ptr<DetectionModel> (*)(const ModelSource&);
    using Captioner = std::unique_ptr<CaptionModel> (*)(const ModelSource&);

    std::string_view type;  // config.json's model_type
    // timm's folders have `architecture` in place of model_type: it begins with `type` and '_'.
    bool timm = false;
    // Reads the rest of config.json and loads the weights. Which of them it is says the task.
    std::variant<Classifier, Detector, Captioner> make;
    // transformers' image processor, less its suffixes, for folders whose files name none.
    std::string_view image_processor;
    // Tensors whose names begin so are copies of others, which files leave out.
    std::string_view tied = {};
    // Its published sizes, for benchmarks on weights made in memory.
    std::vector<PublishedModel> (*published)() = nullptr;

    Task task() const { return static_cast<Task>(make.index()); }
};

std::span<const Family> families();

// The family of a config.json. An Error lists what there is if it is none of these. `where` opens
// the error: a file name.
const Family& family_of(const Json& config, const std::string& where);
// The same, and an Error if it does not do this task.
const Family& family_for(Task task, const Json& config, const std::string& where);
// The same of a model folder.
const Family& family_of(const std::filesystem::path& folder);

// The folder's preprocessor.
Preprocessor read_preprocessor(const std::filesystem::path& folder, const Json& config,
                               const std::string& where);

}  // namespace saccade
