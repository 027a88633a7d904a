#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/pipeline/models_in_use.h"
#include "gpu/engine.h"
#include "models/knock_outs/cause_map.h"
#include "models/knock_outs/meter.h"
#include "models/knock_outs/trials.h"

namespace saccade {

// What is to be explained; at most one of these. None: the strongest detection, else the likeliest
// class.
struct TargetChoice {
    std::string label = {};                // a class of the classifier, else of a detection
    std::optional<size_t> detection = {};  // counted from 0, the strongest first
    std::optional<size_t> word = {};       // of the caption or the answer, counted from 0
};

// What a model's answer needs in one picture.
struct Explanation {
    struct Target {
        std::string kind;  // "class", "phrase", "detection", "word" or "answer"
        std::string label;
        double score = 0;
        std::optional<Rectangle> box = {};  // pixels of the picture
    };
    Target target;
    std::string text = {};  // the sentence of a word
    std::string unit;       // of cause, noise and heads
    MapGeometry geometry;   // of the maps
    std::vector<float> cause;
    double noise = 0;
    uint32_t knock_outs = 0;  // that the map is made of
    glm::vec2 peak;           // the middle of the cell that the target needs most
    std::vector<std::vector<float>> heads;
    std::vector<std::string> layers;  // what the heads' layers are called
    std::vector<RankedMap> others;    // attention and rollout over the same cells
    Meter meter;                      // of the cause map, then of the others
};

// Explains what models say of pictures, by knocking cells and heads out.
class Explainer {
public:
    struct Options {
        DetectionFilter filter;
        std::optional<Size> size = {};  // --size, of the detector
        TrialOptions trials = {};
        bool whole = false;  // every cell on its own, not only where it matters
        bool heads = true;   // each switched off, too
        bool meter = true;   // and what maps are worth
    };
    // Those models that are needed; the others are null. They must outlive this.
    Explainer(Engine& engine, const Models& models, Options options)
        : engine_(engine), models_(models), options_(std::move(options)) {}

    // An Error if there is no such target in the picture.
    Explanation explain(const MaskedPicture& picture, const TargetChoice& choice);
    // Of the strongest detection, else of the likeliest class; none if nothing is found.
    std::optional<Explanation> explain_strongest(const MaskedPicture& picture);

private:
    // A target that has been found, and what its model attends to.
    struct Found {
        Explanation::Target target;
        std::unique_ptr<Trials> trials;
        std::vector<RankedMap> maps = {};  // over the cells of the trials
        std::string text = {};
    };
    std::optional<Found> find_detection(const MaskedPicture& picture, const TargetChoice& choice);
    std::optional<Found> find_class(const MaskedPicture& picture, const TargetChoice& choice);
    Found find_word(const MaskedPicture& picture, size_t number);
    Found find(const MaskedPicture& picture, const TargetChoice& choice);
    Explanation explain(const MaskedPicture& picture, Found found) const;
    void add_map(Found& found, const std::string& name, const MapGeometry& geometry,
                 const std::function<Tensor(Commands&)>& record);

    Engine& engine_;
    Models models_;
    Options options_;
};

}  // namespace saccade
