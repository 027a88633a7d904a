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

// Describes a map of what an answer needs, as it is drawn.
AttentionSeen seen_of(const SignedMap& effects, const Looker& looker);

// The attention maps of one frame in flight, in memory of their own: one map, or one for each head.
class AttentionView {
public:
    explicit AttentionView(Engine& engine);

    // Makes memory for these maps; frames have the size that the models are prepared for. True if
    // the memory or its shape has changed: the drawing must then be recorded again.
    bool prepare(const Models& models, const Looker& looker, const AttentionState& attention);
    const Tensor& maps() const { return maps_; }  // (n, grid height, grid width) f32
    const MapGeometry& geometry() const { return geometry_; }
    // Whether the maps are red, green and blue; else several lie side by side.
    bool coloured() const { return coloured_; }
    bool tiled() const { return !coloured_ && maps_.batch > 1; }
    // Of the last recording: the part of the frame that the patch attends to, if not all of it.
    const std::optional<Rectangle>& window() const { return window_; }
    const std::vector<Size>& levels() const { return levels_; }  // see AttentionSeen
    // One name for each map, where there are several: "head 3", or a phrase.
    std::vector<std::string> names(const Models& models, const Looker& looker) const;

    // Records the computation of the maps from the layers that the taps have kept. The last
    // submission of these commands must have finished.
    void record(Commands& c, const Models& models, const MapTaps& taps, const Looker& looker,
                const AttentionState& attention);

    // Describes the maps of the last recording, without the values of their cells.
    AttentionSeen recorded(const Models& models, const Looker& looker,
                           const AttentionState& attention) const;
    // The same with their cells, after it has run.
    AttentionSeen seen(const Models& models, const Looker& looker,
                       const AttentionState& attention) const;
    // Whether a few cells of these maps are so large that the scale leaves them out.
    bool limited() const { return limits_ && outlier_limit(values_.floats()) < INFINITY; }

private:
    // The patch features, if the maps show features; else an empty tensor.
    Tensor features(Commands& c, const Models& models, const MapTaps& taps, const Looker& looker,
                    const AttentionState& attention) const;
    // The map of one head, or the mean of all; (1, grid height, grid width).
    Tensor map(Commands& c, const Models& models, const MapTaps& taps, const Looker& looker,
               const Look& look) const;
    Tensor rollout(Commands& c, const Models& models, const MapTaps& taps, const Looker& looker);
    // Records the maximum over all heads, cell by cell.
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
