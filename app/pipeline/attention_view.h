#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "app/draw/signed_map.h"
#include "app/pipeline/looker.h"
#include "gpu/engine.h"
#include "gpu/transfer/download.h"
#include "models/attention/attention_maps.h"
#include "models/attention/map_geometry.h"
#include "models/attention/patch_features.h"

namespace saccade {

// The maps of attention of one frame on its way, in memory of their own: one, or one for each head.
// A map of what an answer needs, as it is drawn.
AttentionSeen seen_of(const SignedMap& effects, const Looker& looker);

class AttentionView {
public:
    explicit AttentionView(Engine& engine);

    // Prepares for these maps, of frames of the size that the models are prepared for. True if the
    // memory or its shape has changed, so that drawing has to be recorded again.
    bool prepare(const Models& models, const Looker& looker, const AttentionState& attention);
    const Tensor& maps() const { return maps_; }  // (n, grid height, grid width) f32
    const MapGeometry& geometry() const { return geometry_; }
    // Whether the maps are red, green and blue; else several lie side by side.
    bool coloured() const { return coloured_; }
    bool tiled() const { return !coloured_ && maps_.batch > 1; }
    // Of what was recorded last: all of the frame that the patch can see, if not everything.
    const std::optional<Rectangle>& window() const { return window_; }
    const std::vector<Size>& levels() const { return levels_; }  // see AttentionSeen
    // Of several: heads by number, or phrases.
    std::vector<std::string> names(const Models& models, const Looker& looker) const;

    // Records how they are computed, from taps that have kept what is needed. The last submission
    // of these commands must have finished.
    void record(Commands& c, const Models& models, const MapTaps& taps, const Looker& looker,
                const AttentionState& attention);

    // What the maps of the last recording are of, without their cells.
    AttentionSeen recorded(const Models& models, const Looker& looker,
                           const AttentionState& attention) const;
    // The same with their cells, after it has run.
    AttentionSeen seen(const Models& models, const Looker& looker,
                       const AttentionState& attention) const;
    // Of these: whether a few cells are far beyond the scale.
    bool limited() const { return limits_ && outlier_limit(values_.floats()) < INFINITY; }

private:
    // The features of patches, if the maps are of features; else none.
    Tensor features(Commands& c, const Models& models, const MapTaps& taps, const Looker& looker,
                    const AttentionState& attention) const;
    // Of one head, or averaged over all; (1, grid height, grid width).
    Tensor map(Commands& c, const Models& models, const MapTaps& taps, const Looker& looker,
               const Look& look) const;
    Tensor rollout(Commands& c, const Models& models, const MapTaps& taps, const Looker& looker);
    // The greatest of all heads, cell by cell.
    template <typename OfHead>
    void record_greatest(Commands& c, uint32_t heads, const OfHead& of_head) const;

    Engine& engine_;
    Rollout rollout_;
    Buffer memory_;
    Tensor maps_;
    MapGeometry geometry_;
    bool coloured_ = false, limits_ = false;
    std::optional<Rectangle> window_;
    std::vector<Size> levels_;
    Download values_;
};

}  // namespace saccade
