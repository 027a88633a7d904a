#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/pipeline/models_in_use.h"
#include "models/attention/map_geometry.h"

// Whose attention is shown, and which maps of it.

namespace saccade {

// Which of a layer's attention maps are shown: those of all heads together by their mean or their
// greatest, one head's, or all side by side. Rollout follows attention through all layers. Or what
// the model knows of each patch at its end: how much that is like what it knows of the patch that
// is pointed at, or the three main components of all as colours.
// Or, from elsewhere, what the answer needs: see app/live/cause.
enum class AttentionMode { off, rollout, mean, max, head, grid, similarity, colours, cause };
inline constexpr AttentionMode attention_modes[] = {
    AttentionMode::off,        AttentionMode::rollout, AttentionMode::mean,
    AttentionMode::max,        AttentionMode::head,    AttentionMode::grid,
    AttentionMode::similarity, AttentionMode::colours, AttentionMode::cause};
std::string_view name_of(AttentionMode mode);
// Whether it is of one layer, which can be chosen.
constexpr bool has_layers(AttentionMode mode) {
    return mode != AttentionMode::rollout && mode != AttentionMode::similarity &&
           mode != AttentionMode::colours && mode != AttentionMode::cause;
}
// Whether it is computed from what a model keeps while it runs.
constexpr bool is_kept(AttentionMode mode) {
    return mode != AttentionMode::off && mode != AttentionMode::cause;
}

// A layer or head beyond those that a model has means its last one.
inline constexpr uint32_t last_layer = 1u << 20;

struct AttentionState {
    AttentionMode mode = AttentionMode::off;
    uint32_t layer = last_layer, head = 0;
    float blend = 0.6f;        // of the heat map over the picture
    float mass = 1.0f;         // shows only the patches that hold this part of the attention
    bool fixed_scale = false;  // one colour means the same in every map
    bool operator==(const AttentionState&) const = default;
};

// The token whose attention is shown: a word of the caption, a query of the detector, a patch, or
// the classifier's class token. Or a phrase, for how much each patch is like it; or everywhere, for
// maps that are the same wherever the mouse is: colours.
struct Looker {
    enum class Token { none, word, query, patch, class_token, phrase, everywhere };
    Token token = Token::none;
    bool of_detector = false;  // patches or a phrase of the detector's, not of the classifier's
    glm::vec2 point;           // of a patch, in pixels of the frame
    uint32_t query = 0;
    size_t first_id = 0, ids = 0;  // of a word
    uint32_t phrase = 0;

    bool operator==(const Looker&) const = default;
};

// The maps that lie over a frame, as they were drawn.
struct AttentionSeen {
    Looker looker;
    AttentionMode mode = AttentionMode::mean;
    bool rolled_out = false;
    bool similarity = false, coloured = false;  // not attention, but features
    bool limited = false;                       // a few cells are far beyond the scale
    uint32_t layer = 0, layers = 1, head = 0, heads = 1;
    MapGeometry geometry;
    std::vector<float> cells;         // row after row; of several maps one after the other
    float smallest = 0, largest = 0;  // of all cells, as they are drawn
    float on_picture = 0;  // the share of the attention that lies on cells of the picture
    std::optional<Rectangle> window = std::nullopt;  // all that a patch can see, if not everything
    std::vector<Size> levels = {};  // of a query that looks at points: the maps that they lie on

    // Of a patch that looks: its place in the grid, and in the frame.
    glm::ivec2 cell() const;
    Rectangle patch() const;
};

// What the maps are of in a few words: "detector, layer 5, mean of heads".
std::string shortly(const AttentionSeen& seen);
// The model that is asked: "detector", "classifier" or "captioner".
std::string task_of(const Looker& looker);

// Of a looker that asks for one of them: all that the model was told.
const std::vector<std::string>& phrases_of(const Looker& looker, const Models& models);
// How many layers there are to choose from, and heads in the chosen one; of a phrase, all phrases.
uint32_t layers_of(const Looker& looker, const Models& models);
uint32_t heads_of(const Looker& looker, const AttentionState& attention, const Models& models);
// The layer that is meant.
uint32_t layer_of(const Looker& looker, const AttentionState& attention, const Models& models);
// Rollout follows tokens that look at each other. A decoder's tokens look at the encoder's.
bool rolls_out(const Looker& looker, const AttentionState& attention, const Models& models);
// Whether the model that is asked can show what it knows of its patches.
bool has_features(const Looker& looker, const Models& models);
// Whether that is what is seen. Words, queries and phrases have their maps in any mode.
bool shows_similarity(const Looker& looker, const AttentionState& attention, const Models& models);
bool shows_colours(const Looker& looker, const AttentionState& attention, const Models& models);
// Whether outliers would swamp the map if they were not limited.
bool has_outliers(const Looker& looker, const AttentionState& attention, const Models& models);
// The looker at features: a patch of the other model if `looker`'s own has none to show. For
// colours, Token::everywhere.
Looker looker_at_features(Looker looker, AttentionMode mode, const Models& models);

// The layers and features that the models' recordings must keep for the maps.
struct KeptLayers {
    std::set<uint32_t> encoder, decoder, classifier;
    bool queries = false;  // what the detector's heads see of each query, for tracks and phrases
    bool patches = false;  // what the classifier knows of each patch, for phrases
    bool detector_features = false, classifier_features = false;  // at their ends

    size_t count() const { return encoder.size() + decoder.size() + classifier.size(); }
    void add(const KeptLayers& other);
    bool operator==(const KeptLayers&) const = default;
};
KeptLayers kept_for(const Looker& looker, const AttentionState& attention, const Models& models);

// Where it is kept.
struct MapTaps {
    const DetectionTaps& detection;
    const Tap& classification;
    PatchColours &detection_colours, &classification_colours;
};

}  // namespace saccade
