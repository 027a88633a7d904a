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

// Which map is shown. Of one layer's attention: the mean or the maximum of all heads, one head, or
// all heads side by side (`grid`). `rollout` follows attention through all layers. Of the features
// after the last layer: their cosine with those of the patch that is pointed at (`similarity`), or
// their three principal components as red, green and blue (`colours`). `cause` is no map of the
// model's own: it shows what the answer needs, see app/live/cause.
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
// Whether it is computed from layers that a model keeps while it runs.
constexpr bool is_kept(AttentionMode mode) {
    return mode != AttentionMode::off && mode != AttentionMode::cause;
}

// A layer or head beyond those that a model has means its last one.
inline constexpr uint32_t last_layer = 1u << 20;

struct AttentionState {
    AttentionMode mode = AttentionMode::off;
    uint32_t layer = last_layer, head = 0;
    float blend = 0.6f;  // opacity of the heat map over the picture
    float mass = 1.0f;   // draws only the fewest patches that hold this share of the attention
    bool fixed_scale = false;  // a colour means the same value in every map
    bool operator==(const AttentionState&) const = default;
};

// The token whose attention is shown: a word of the caption, a query of the detector, a patch, or
// the classifier's class token. A phrase stands for its cosine with each patch; `everywhere` for
// maps that do not depend on a token (colours).
struct Looker {
    enum class Token { none, word, query, patch, class_token, phrase, everywhere };
    Token token = Token::none;
    bool of_detector = false;  // the patch or phrase is the detector's, not the classifier's
    glm::vec2 point;           // of a patch, in pixels of the frame
    uint32_t query = 0;
    size_t first_id = 0, ids = 0;  // of a word: its part of the caption's token ids
    uint32_t phrase = 0;

    bool operator==(const Looker&) const = default;
};

// The maps over a frame, as they were drawn.
struct AttentionSeen {
    Looker looker;
    AttentionMode mode = AttentionMode::mean;
    bool rolled_out = false;
    bool similarity = false, coloured = false;  // the map shows features, not attention
    bool limited = false;                       // a few cells exceed the scale
    uint32_t layer = 0, layers = 1, head = 0, heads = 1;
    MapGeometry geometry;
    std::vector<float> cells;         // row after row; of several maps one after the other
    float smallest = 0, largest = 0;  // of all cells, as they are drawn
    float on_picture = 0;  // the share of the attention that lies on cells of the picture
    std::optional<Rectangle> window = std::nullopt;  // what the patch attends to, if not everything
    std::vector<Size> levels = {};  // for deformable attention: the sizes of the sampled maps

    // The patch that looks: its cell in the grid, and its place in the frame.
    glm::ivec2 cell() const;
    Rectangle patch() const;
};

// Names the maps in a few words: "detector, layer 5, mean of heads".
std::string shortly(const AttentionSeen& seen);
// The model that the token belongs to: "detector", "classifier" or "captioner".
std::string task_of(const Looker& looker);

// All phrases that the looker's model was given.
const std::vector<std::string>& phrases_of(const Looker& looker, const Models& models);
// How many layers there are to choose from, and how many heads in the chosen one. For a phrase,
// heads_of counts the phrases.
uint32_t layers_of(const Looker& looker, const Models& models);
uint32_t heads_of(const Looker& looker, const AttentionState& attention, const Models& models);
// The chosen layer, limited to those that the model has.
uint32_t layer_of(const Looker& looker, const AttentionState& attention, const Models& models);
// Rollout follows tokens that look at each other. A decoder's tokens look at the encoder's.
bool rolls_out(const Looker& looker, const AttentionState& attention, const Models& models);
// Whether the looker's model can show features of its patches.
bool has_features(const Looker& looker, const Models& models);
// Whether features are shown. Words, queries and phrases show their own maps in any mode.
bool shows_similarity(const Looker& looker, const AttentionState& attention, const Models& models);
bool shows_colours(const Looker& looker, const AttentionState& attention, const Models& models);
// Whether outliers would swamp the map if they were not limited.
bool has_outliers(const Looker& looker, const AttentionState& attention, const Models& models);
// The looker for maps of features: a patch of the other model if `looker`'s own has no features.
// For colours, Token::everywhere.
Looker looker_at_features(Looker looker, AttentionMode mode, const Models& models);

// The layers and features that the models' recordings must keep for the maps.
struct KeptLayers {
    std::set<uint32_t> encoder, decoder, classifier;
    bool queries = false;  // the input of the detector's heads for each query: tracks, phrases
    bool patches = false;  // the classifier's patch features, for phrases
    bool detector_features = false, classifier_features = false;  // after the last layer

    size_t count() const { return encoder.size() + decoder.size() + classifier.size(); }
    void add(const KeptLayers& other);
    bool operator==(const KeptLayers&) const = default;
};
KeptLayers kept_for(const Looker& looker, const AttentionState& attention, const Models& models);

// Where the layers and features are kept.
struct MapTaps {
    const DetectionTaps& detection;
    const Tap& classification;
    PatchColours &detection_colours, &classification_colours;
};

}  // namespace saccade
