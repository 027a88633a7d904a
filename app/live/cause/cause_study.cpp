#include "app/live/cause/cause_study.h"

#include <algorithm>

#include "gpu/core/device.h"
#include "models/knock_outs/class_trials.h"
#include "models/knock_outs/detection_trials.h"
#include "models/knock_outs/word_trials.h"

namespace saccade {

namespace {

// Few at once, so that a frame that comes does not wait for many.
constexpr uint32_t together_on_gpu = 16, together_on_cpu = 2;

std::vector<HeadAt> heads_of(const HeadsOff& off, HeadOff::Of model) {
    std::vector<HeadAt> heads;
    for (const HeadOff& one : off)
        if (one.of == model) heads.push_back({one.layer, one.head});
    return heads;
}

std::unique_ptr<Trials> trials_for(Engine& engine, const Models& models, const HeadsOff& off,
                                   const CauseTarget& target, const MaskedPicture& picture) {
    Device& device = engine.device();
    const TrialOptions options{.at_once = device.is_cpu() ? together_on_cpu : together_on_gpu,
                               .off = heads_of(off, target.model)};
    if (target.model == HeadOff::Of::detector)
        return std::make_unique<DetectionTrials>(device, engine.scratch(), *models.detector,
                                                 target.detection, picture, options);
    if (target.model == HeadOff::Of::classifier)
        return std::make_unique<ClassTrials>(device, engine.scratch(), *models.classifier,
                                             target.id, picture, options);
    return std::make_unique<WordTrials>(device, engine.scratch(), *models.captioner, target.caption,
                                        target.word, picture, options);
}

std::vector<float> floats_of(const std::vector<double>& values) {
    return {values.begin(), values.end()};
}

}  // namespace

CauseStudy::CauseStudy(Engine& engine, const Models& models, const HeadsOff& off,
                       CauseTarget target, const CausePicture& picture)
    : target_(std::move(target)),
      picture_(picture.number),
      quick_(engine.device().is_cpu()),
      trials_(trials_for(engine, models, off, target_, picture.picture)) {
    map_.emplace(*trials_, quick_);
    seen_ = {.model = target_.model,
             .kind = target_.kind,
             .label = target_.label,
             .unit = trials_->unit(),
             .does = "coarse map",
             .captured = picture.captured,
             .geometry = trials_->geometry()};
}

void CauseStudy::begin(const CauseTarget& target, const CausePicture& picture) {
    trials_->show(picture.picture);
    target_ = target;
    picture_ = picture.number;
    if (auto* const detection = dynamic_cast<DetectionTrials*>(trials_.get()))
        detection->aim_at(target.detection);
    map_.emplace(*trials_, quick_);
    heads_.reset();
    measurement_.reset();
    measured_.clear();
    // What is known of the picture before stays until there is more of this one.
    seen_.does = "coarse map";
    seen_.methods.clear();
    seen_.captured = picture.captured;
}

bool CauseStudy::go_on(uint32_t most, Depth depth, const AttentionSeen* shown) {
    if (map_->usable() && depth == Depth::coarse) return false;
    if (map_->refine_where_it_matters(most)) {
        if (map_->known()) take_map();
        seen_.does = map_->usable() ? "finer map"
                                    : "coarse map, " + std::to_string(map_->squares_done()) +
                                          " of " + std::to_string(map_->squares());
        return true;
    }
    if (depth == Depth::finer) return false;
    if (go_on_with_heads(most)) return true;
    seen_.does = "the rest of the map";
    if (map_->refine(most)) {
        take_map();
        return true;
    }
    if (go_on_with_meter(most, shown)) return true;
    seen_.does.clear();
    return false;
}

void CauseStudy::take_map() {
    seen_.cells = map_->cells();
    seen_.noise = map_->noise();
    seen_.knock_outs = map_->knock_outs();
    seen_.score = map_->whole().score;
}

bool CauseStudy::go_on_with_heads(uint32_t most) {
    seen_.does = "heads";
    if (!heads_) {
        seen_.heads = trials_->heads();
        seen_.layers = trials_->layers();
        heads_.emplace(*trials_);
    }
    if (!heads_->go_on(most)) return false;
    seen_.effects = heads_->table();
    return true;
}

bool CauseStudy::go_on_with_meter(uint32_t most, const AttentionSeen* shown) {
    seen_.does = "meter";
    std::vector<RankedMap> maps{{"cause", map_->cells()}};
    // Of several maps side by side no one is meant.
    if (shown && shown->cells.size() == area(shown->geometry.grid))
        maps.push_back(
            {shortly(*shown), resampled(shown->cells, shown->geometry, trials_->geometry())});
    const auto same = [](const RankedMap& a, const RankedMap& b) {
        return a.name == b.name && a.cells == b.cells;
    };
    if (!measurement_ || !std::ranges::equal(maps, measured_, same)) {
        measured_ = std::move(maps);
        measurement_.emplace(*trials_, measured_);
    }
    if (!measurement_->go_on(most)) return false;
    if (measurement_->done()) take_meter();
    return true;
}

void CauseStudy::take_meter() {
    const Meter meter = measurement_->meter();
    seen_.methods.clear();
    for (const Meter::Method& method : meter.methods)
        seen_.methods.push_back({method.name, meter.in_words(method),
                                 floats_of(method.curves.deletion),
                                 floats_of(method.curves.insertion), method.curves.deletion_area(),
                                 method.curves.insertion_area()});
    seen_.random_deletion.clear();
    for (const Curves& one : meter.random) seen_.random_deletion.push_back(floats_of(one.deletion));
    seen_.random_deletion_area = meter.random_deletion().mean;
    seen_.random_insertion_area = meter.random_insertion().mean;
}

}  // namespace saccade
