#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/lab/engine.h"
#include "app/live_state.h"
#include "models/captioner.h"
#include "models/classifier.h"
#include "models/detector.h"

namespace saccade {

// The models that look at frames; null where there is none.
struct LiveModels {
    Detector* detector = nullptr;
    Classifier* classifier = nullptr;
    Captioner* captioner = nullptr;
};

// Whose attention is shown: a word's, while the mouse is on it; else that of the object that was
// clicked; else that of the patch under the mouse; else what all patches come together in, the
// classifier's class token, or, without one, the patch in the middle.
struct Looker {
    enum class Token { none, word, query, patch, class_token } token = Token::none;
    bool of_detector = false;     // a patch of the detector's, not of the classifier's
    PicturePoint point = {0, 0};  // of a patch
    uint32_t query = 0;
    size_t first_id = 0, ids = 0;  // of a word

    bool operator==(const Looker&) const = default;
};
Looker choose_looker(const LiveState& state, const LiveModels& models, const Caption& caption,
                     ImageSize frame);

// What there is to choose from.
struct LookedInto {
    uint32_t layers = 1, heads = 1;
};
LookedInto looked_into(const Looker& looker, const LiveModels& models);

// The maps of attention of one frame on its way, in memory of their own: one, or one for each head.
class LiveAttention {
public:
    // `models` may be changed between two prepare()s.
    LiveAttention(Engine& engine, const LiveModels& models);

    // What the models' recordings must keep for it, by layer.
    struct Kept {
        std::set<uint32_t> encoder, decoder, classifier;
        bool operator==(const Kept&) const = default;
    };
    static Kept kept_for(const Looker& looker, const AttentionState& attention,
                         const LiveModels& models);

    // Makes ready for these maps of frames of the size that the models are prepared for. True where
    // the memory or its shape has changed, and with it what must be recorded to draw it.
    bool prepare(const Looker& looker, const AttentionState& attention);
    const Tensor& maps() const { return maps_; }  // (n, grid height, grid width) f32
    const MapGeometry& geometry() const { return geometry_; }
    std::vector<std::string> names() const;  // of several

    // Computes them, from taps that have kept what is needed. Other looks of this kind, from other
    // places or words, need no more than this.
    void look(const DetectionTaps& detection, const Tap& classification, const Looker& looker,
              const AttentionState& attention);
    std::vector<ScopeTime> times() const { return commands_.times(); }  // of the last look

private:
    // Of one head, or averaged over all; (1, grid height, grid width).
    Tensor map(Commands& c, const DetectionTaps& detection, const Tap& classification,
               const Looker& looker, const Look& look) const;
    Tensor rollout(Commands& c, const DetectionTaps& detection, const Tap& classification,
                   const Looker& looker);
    uint32_t row_of(const Looker& looker) const;
    MapGeometry geometry_of_looker(const Looker& looker) const;

    Engine& engine_;
    const LiveModels& models_;
    AttentionRow attention_row_;
    std::optional<Rollout> rollout_;
    uint32_t rollout_tokens_ = 0;
    Commands commands_;
    Buffer memory_;
    Tensor maps_;
    MapGeometry geometry_;
};

}  // namespace saccade
