#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/pipeline/frame_order.h"

namespace saccade {

// --attention: which map of attention lies over a frame.
enum class AttentionKind {
    none,
    rollout,     // what reaches the classifier's class token through all layers
    cls,         // what its class token looks at in one layer
    head,        // the same of one head
    detection,   // what the strongest detection looked at
    word,        // what a word of the caption looked at; from frame to frame, the next one
    phrase,      // how much each patch is like the phrase that fits the frame best
    track,       // what the detection of one track looked at, in the frames in which it is seen
    similarity,  // cosine of the classifier's features, each patch with the strongest detection's
    colours,     // the three principal components of the classifier's patch features
    cause,       // how much the strongest detection, or else the likeliest class, needs each cell
};
std::string_view name_of(AttentionKind kind);

struct AttentionChoice {
    AttentionKind kind = AttentionKind::none;
    // Left out: the layer whose maps are clearest, and the mean of its heads.
    std::optional<uint32_t> layer = std::nullopt, head = std::nullopt;
    uint32_t track = 1;  // its number
};
// "detection", "track" or "track:3"; an Error otherwise.
AttentionChoice attention_named(const std::string& name);

// The layer and head that a choice means; an Error if the models cannot show it.
Look look_of(const AttentionChoice& choice, const Models& models);

// Whether a patch of the classifier shows more than one of the detector: more layers, heads and
// cells. False for a detector that is not prepared for a frame.
bool classifier_is_richer(const Models& models);

// Sets the order so that the map is drawn over the frame. Which detection, word or track it is of
// is decided once the models have found them. An Error if the models cannot show it.
void show_attention(FrameOrder& order, const AttentionChoice& choice, const Models& models);

// Shows what the detection with this track number looks at. If the track is not seen in this frame,
// no map is shown and no box is highlighted: its last query may have found another thing by now.
void look_from_track(FrameOrder& order, const FrameResult& known, uint32_t number);
// The same for a map that comes to the host, if it is about a track.
void look_from_track(MapOrder& map, const FrameResult& known);

}  // namespace saccade
