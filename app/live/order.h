#pragma once

#include <span>

#include "app/live/state/status.h"
#include "app/live/state/wishes.h"
#include "app/pipeline/frame_order.h"

namespace saccade {

// Of the last frame: targets point into this.
struct LastResult {
    const Caption& caption;
    std::span<const Detection> found = {};  // the strongest first
    Size frame = {};
};

// One kind of maps, of a target.
struct MapWish {
    const Target& target;
    MapModel model = MapModel::detector;
    AttentionMode mode = AttentionMode::mean;
    // Without a pointer, maps are of the classifier's class token or of the detector's strongest
    // detection.
    bool overview = false;
};

// The token whose attention is shown. Token::none without a target and without an overview. Colours
// are the same for every token and need no pointer.
Looker choose_looker(const MapWish& wish, const Models& models, const LastResult& last);

// The layers and heads to choose from, also where no token is chosen.
MapChoices choices_of(const MapWish& wish, const AttentionState& attention, const Models& models,
                      const LastResult& last);

// The model whose patches look at each other in more layers.
MapModel richest(const Models& models);

// Which detections are wanted. Phrases without a threshold of their own have their model's.
DetectionFilter filter_of(const Wishes& wishes, const Models& models);

// What is wanted of the next frame. The loop decides which models have to run on it.
FrameOrder order_of(const Wishes& wishes, const Target& target, const Models& models,
                    const LastResult& last);

// All that a picture is drawn for, besides its frame. A frame that stands still is drawn again when
// this changes.
struct DrawnFor {
    Wishes::Look look;
    Wishes::Remote remote;
    bool frozen = false, recording = false;
    Target target;
    bool operator==(const DrawnFor&) const = default;
};
DrawnFor drawn_for(const Wishes& wishes, const Target& target);

}  // namespace saccade
