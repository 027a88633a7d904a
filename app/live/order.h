#pragma once

#include "app/live/state.h"
#include "app/pipeline/frame_order.h"

namespace saccade {

// Whose attention is shown: a word's, while the mouse is on it; else that of the object that was
// clicked; else that of the patch under the mouse; else what all patches come together in, the
// classifier's class token, or, without one, the patch in the middle.
Looker choose_looker(const LiveState& state, const Models& models, const Caption& caption,
                     Size frame);

Looker choose_looker(const RemoteLook& look, const Models& models, const Caption& caption,
                     Size frame);

// What the state asks of the next frame. Which models have to see it, the loop decides.
FrameOrder order_of(const LiveState& state, const Models& models, const Caption& caption,
                    Size frame);

}  // namespace saccade
