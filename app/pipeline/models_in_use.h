#pragma once

#include <memory>
#include <string>

#include "app/frame/source_name.h"
#include "app/hub/model_finder.h"
#include "gpu/engine.h"
#include "models/captioner.h"
#include "models/classifier.h"
#include "models/detector.h"

namespace saccade {

// The kind of pictures that a source shows, by its name.
Imagery imagery_of(const SourceName& source);

// --detector, --classifier and --captioner: a model as find_model knows it, or "none".
struct ModelNames {
    std::string detector = "none", classifier = "none", captioner = "none";
    // --find, --labels and --ask: words for models that take them; empty if they were left out.
    std::string find = {}, labels = {}, question = {};
    std::vector<std::string> like = {};  // --like: pictures of what to find, see parse_example
    Implementation as = Implementation::by_weights;  // --as

    // Replaces empty names by the bundled models for this kind of pictures.
    ModelNames or_default(Imagery imagery) const;
};

// Tells a model what to look for: the phrases of --find or --labels ("red mug, my cat"), or
// examples. An Error if the model takes no phrases, or needs some and there are none.
void tell(Detector& detector, const std::string& find, std::vector<Example> examples = {});
void tell(Classifier& classifier, const std::string& labels, const std::string& pattern = {});

// Logs how a detector's files were read where they leave a doubt: see Implementation.
void log_choices(const Detector& detector, const std::string& name);

// Models that the caller owns; null if there is none.
struct Models {
    Detector* detector = nullptr;
    Classifier* classifier = nullptr;
    Captioner* captioner = nullptr;
};

// The models that see every frame; those that are not wanted are null.
struct ModelsInUse {
    static ModelsInUse open(Engine& engine, const ModelNames& names);
    Models borrowed() const { return {detector.get(), classifier.get(), captioner.get()}; }

    std::unique_ptr<Detector> detector;
    std::unique_ptr<Classifier> classifier;
    std::unique_ptr<Captioner> captioner;
};

}  // namespace saccade
