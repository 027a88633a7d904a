#pragma once

#include <memory>
#include <string>

#include "app/lab/engine.h"
#include "app/model_finder.h"
#include "models/captioner.h"
#include "models/classifier.h"
#include "models/detector.h"

namespace saccade {

// --detector, --classifier and --captioner: a model as find_model knows it, or "none".
struct ModelNames {
    std::string detector = "none", classifier = "none", captioner = "none";

    // Those that are empty are the bundled ones for what is shown.
    ModelNames or_default(Shown shown) const;
};

// The models that look at every frame; those that are not wanted are null.
struct ModelsInUse {
    static ModelsInUse open(Engine& engine, const ModelNames& names);

    std::unique_ptr<Detector> detector;
    std::unique_ptr<Classifier> classifier;
    std::unique_ptr<Captioner> captioner;
};

}  // namespace saccade
