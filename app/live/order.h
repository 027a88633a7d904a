#pragma once

#include <span>

#include "app/live/state.h"
#include "app/pipeline/frame_order.h"

namespace saccade {

// What the last frame has shown, of which a person may ask for more.
struct LastSeen {
    const Caption& caption;
    std::span<const Detection> found = {};  // the strongest first
    Size frame = {};
};

// Whose attention is shown: a word's, while the mouse is on it or it is held; else that of the
// object that was clicked; else that of the patch that is held, or is under the mouse, as the model
// sees it that the person has chosen. While nobody points at anything: nobody's, or, for an
// overview, the class token's of the classifier and the strongest detection's of the detector.
// Colours are everybody's: they need no pointer.
Looker choose_looker(const LiveState& state, AskedModel asked, AttentionMode mode,
                     const Models& models, const LastSeen& seen);

// Who would look if somebody pointed at the picture.
Looker looker_under_mouse(const LiveState& state, AskedModel asked, const Models& models);

// What there is to choose from, whether or not somebody looks.
MapChoices choices_of(const LiveState& state, AskedModel asked, const AttentionState& attention,
                      const Models& models, const LastSeen& seen);

// Which detections are wanted. Phrases that have no threshold of their own have their model's.
DetectionFilter filter_of(const LiveState& state, const Models& models);

// What the state asks of the next frame. Which models have to see it, the loop decides.
FrameOrder order_of(const LiveState& state, const Models& models, const LastSeen& seen);

}  // namespace saccade
