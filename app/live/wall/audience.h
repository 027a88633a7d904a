#pragma once

#include "app/live/loop.h"

namespace saccade {

// Who gets what the loop of a source shows, besides a window: viewers of a page, or clips.
class Audience {
public:
    virtual ~Audience() = default;
    // Before a step: adds what they want, always or once.
    virtual void add_wishes(Wishes& wishes, Events& events) = 0;
    // After it, and for every new picture, of which a step may have several: sends them the result.
    virtual void show(const LiveLoop& loop, const Wishes& wishes, bool new_picture) = 0;
};

}  // namespace saccade
