#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "gpu/core/geometry.h"

namespace saccade {

// The model whose maps are shown for a patch of the picture.
enum class MapModel { detector, classifier };
std::string_view name_of(MapModel model);
constexpr MapModel other(MapModel model) {
    return model == MapModel::detector ? MapModel::classifier : MapModel::detector;
}

// A phrase that a model was given, by its index.
struct PhraseRef {
    MapModel model = MapModel::detector;
    uint32_t index = 0;
    bool operator==(const PhraseRef&) const = default;
};

// The token whose attention is wanted: the query of the maps. A word goes before a phrase, a phrase
// before a detection, a detection before a patch. Indices are of the last result.
struct Target {
    std::optional<glm::vec2> point = std::nullopt;  // under the pointer, in pixels of the frame
    std::optional<glm::vec2> held = std::nullopt;   // the patch that was clicked, likewise
    std::optional<uint32_t> word = std::nullopt;    // of the caption
    std::optional<uint32_t> query = std::nullopt;   // of the detector, whose box was clicked
    std::optional<PhraseRef> phrase = std::nullopt;
    bool operator==(const Target&) const = default;
};

// Where the mouse is, and what it holds or drags.
struct Pointer {
    Target target;
    bool over_second = false;  // over the second view: keys for maps are for that one
    bool word_held = false, phrase_held = false;  // it was clicked and stays
    std::optional<glm::vec2> drag_from;           // one corner of a box that is being drawn
    std::optional<Rectangle> dragged;             // the box so far
    bool tour = false;  // nobody points: the target is shown by itself, and the picture waits
    // Word, query and phrase are of these models: Status::models_version.
    uint64_t models_version = 0;
    bool operator==(const Pointer&) const = default;
};

// Whether something was clicked and stays the target.
inline bool holds(const Pointer& pointer) {
    return pointer.target.query || pointer.target.held || pointer.word_held || pointer.phrase_held;
}

inline void release_held(Pointer& pointer) {
    pointer.target.query.reset();
    pointer.target.held.reset();
    if (std::exchange(pointer.word_held, false)) pointer.target.word.reset();
    if (std::exchange(pointer.phrase_held, false)) pointer.target.phrase.reset();
}

// Releases what belongs to other models: their queries and words mean nothing to these.
inline void move_to_models(Pointer& pointer, uint64_t version) {
    if (std::exchange(pointer.models_version, version) == version) return;
    release_held(pointer);
    pointer.target.word.reset();
}

}  // namespace saccade
