#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/lab/engine.h"
#include "app/models_in_use.h"
#include "models/attention_maps.h"
#include "models/look.h"

namespace saccade {

// --attention: which map of attention lies over a frame.
enum class AttentionKind {
    none,
    rollout,    // what reaches the classifier's class token through all layers
    cls,        // what its class token looks at in one layer
    head,       // the same of one head
    detection,  // what the strongest detection looked at
    word,       // what a word of the caption looked at; from frame to frame, the next one
};
AttentionKind attention_named(const std::string& name);
std::string_view name_of(AttentionKind kind);

struct AttentionChoice {
    AttentionKind kind = AttentionKind::none;
    // Left out: the layer whose maps are clearest, and the average of its heads.
    std::optional<uint32_t> layer = std::nullopt, head = std::nullopt;
};

// The layer and head that a choice means; an Error where the models cannot show it.
Look look_of(const AttentionChoice& choice, const ModelsInUse& models);

// The map of attention of one frame on its way, in memory of its own.
class AttentionView {
public:
    // An Error where the models cannot show it.
    AttentionView(Engine& engine, const ModelsInUse& models, const AttentionChoice& choice);

    // Taps that keep what the map is made from.
    DetectionTaps detection_taps() const;
    Tap classifier_tap() const;

    // Makes ready for frames of the size that the models are prepared for.
    void prepare();
    const Tensor& map() const { return map_; }  // (1, grid height, grid width) f32
    MapGeometry geometry() const;

    // Computes the map for what was found in the frame that the taps have seen. False where there
    // is nothing to show.
    bool look(const DetectionTaps& detection_taps, const Tap& classifier_tap,
              std::span<const Detection> found, const Caption* caption, uint64_t frame);

    // Which word of a caption is looked at in a frame; nothing where no word is.
    std::optional<size_t> word(const Caption* caption, uint64_t frame) const;

private:
    Tensor record(Commands& c, const DetectionTaps& detection_taps, const Tap& classifier_tap,
                  std::span<const Detection> found, const Caption* caption, uint64_t frame);
    Tensor class_token_cells(Commands& c, const Tensor& row) const;

    Engine* engine_;
    const ModelsInUse* models_;
    AttentionChoice choice_;
    Look look_;
    AttentionRow attention_row_;
    std::optional<Rollout> rollout_;
    std::unique_ptr<Commands> commands_;
    Buffer memory_;
    Tensor map_;
};

}  // namespace saccade
