#include "app/live/models/live_models.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "app/hub/model_finder.h"
#include "app/sources/open_source.h"
#include "gpu/core/error.h"

namespace saccade {

namespace {

CaptionOptions greedy() {
    CaptionOptions options;
    options.beams = 1;
    return options;
}

template <typename Model>
void report_model(ModelStatus& to, const SwappedModel<Model>& slot) {
    to.name = slot.name() == "none" ? "" : slot.name();
    to.loading = slot.loading() == "none" ? "" : slot.loading();
    to.progress = slot.progress();
    if (slot.error() != to.error && !slot.error().empty()) spdlog::error("{}", slot.error());
    to.error = slot.error();
}

template <typename Model>
void require(const SwappedModel<Model>& slot) {
    if (!slot.error().empty()) throw Error(slot.error());
}

}  // namespace

LiveModels::LiveModels(Engine& engine)
    : detector_([this, &engine](const std::string& name, LoadProgress progress) {
          auto detector = std::make_unique<Detector>(
              Detector::open(engine.device(), find_model(name), engine.precision(),
                             std::move(progress), Tokenizer::open, as_));
          log_choices(*detector, name);
          return detector;
      }),
      classifier_([this, &engine](const std::string& name, LoadProgress progress) {
          return std::make_unique<Classifier>(
              Classifier::open(engine.device(), find_model(name), engine.precision(),
                               std::move(progress), Tokenizer::open, as_));
      }),
      captioner_([&engine](const std::string& name, LoadProgress progress) {
          auto own = std::make_unique<OwnCaptioner>();
          own->scratch = std::make_unique<Arena>(engine.device(), "captioner's scratch");
          own->captioner = std::make_unique<Captioner>(
              Captioner::open(engine.device(), *own->scratch, find_model(name), Tokenizer::open,
                              engine.precision(), std::move(progress)));
          own->beams = own->captioner->generation().beams;
          own->searches = own->beams == 1;
          if (!own->searches) own->captioner->use(greedy());
          return own;
      }) {}

void LiveModels::want(const Wishes& wishes) {
    const Imagery imagery = imagery_of(wishes.source);
    if (as_ != wishes.as) as_ = wishes.as;  // no model is being loaded yet: it never changes
    detector_.want(model_or_default(wishes.detector, Task::detect, imagery));
    classifier_.want(model_or_default(wishes.classifier, Task::classify, imagery));
    captioner_.want(model_or_default(wishes.captioner, Task::caption, imagery));
}

bool LiveModels::loading() const {
    return !detector_.loading().empty() || !classifier_.loading().empty() ||
           !captioner_.loading().empty();
}

bool LiveModels::ready() const {
    return detector_.ready() || classifier_.ready() || captioner_.ready();
}

void LiveModels::swap() {
    auto swap_one = [](auto& slot) {
        if (slot.ready()) slot.swap();
    };
    swap_one(detector_);
    swap_one(classifier_);
    swap_one(captioner_);
}

void LiveModels::settle() {
    detector_.settle();
    classifier_.settle();
    captioner_.settle();
}

bool LiveModels::undo(const std::string& why) {
    bool undone = false;
    auto undo_one = [&](auto& slot) {
        const std::string name = slot.name();
        if (slot.undo("'" + name + "' does not fit: " + why)) undone = true;
    };
    undo_one(detector_);
    undo_one(classifier_);
    undo_one(captioner_);
    return undone;
}

Models LiveModels::loaded() const {
    const OwnCaptioner* own = captioner_.model();
    return {detector_.model(), classifier_.model(), own ? own->captioner.get() : nullptr};
}

std::vector<std::string> LiveModels::labels() const {
    return detector_.model() ? detector_.model()->labels() : std::vector<std::string>();
}

void LiveModels::report(Status& to) const {
    report_model(to.detector, detector_);
    report_model(to.classifier, classifier_);
    report_model(to.captioner, captioner_);
}

void LiveModels::require_all() const {
    require(detector_);
    require(classifier_);
    require(captioner_);
}

bool LiveModels::searches_otherwise(bool still) const {
    const OwnCaptioner* own = captioner_.model();
    return own && own->beams > 1 && own->searches != still;
}

void LiveModels::search(bool still) {
    OwnCaptioner& own = *captioner_.model();
    own.captioner->use(still ? CaptionOptions() : greedy());
    own.searches = still;
}

std::string LiveModels::caption_note(bool still) const {
    const OwnCaptioner* own = captioner_.model();
    if (!own || own->beams <= 1) return "";
    const std::string beams = std::to_string(own->beams) + " beams";
    return still ? "by " + beams + ", as the model's files ask for"
                 : "greedy while the picture moves; by " + beams + " when it is frozen";
}

std::vector<KnownModel> known_models(Task task) {
    const ModelPlaces places = ModelPlaces::of_this_machine();
    std::vector<KnownModel> known;
    for (const CatalogueModel& model : catalogue()) {
        if (model.task != task) continue;
        const bool here = model.bundled() ? bundled_model(model.name, places).has_value()
                                          : cached_model({model.name, std::nullopt}, places.hub,
                                                         StoredWeights::safetensors)
                                                .has_value();
        if (here || !model.bundled()) known.push_back({model.name, here, model.megabytes});
    }
    std::ranges::stable_partition(known, &KnownModel::here);
    return known;
}

}  // namespace saccade
