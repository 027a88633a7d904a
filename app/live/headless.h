#pragma once

#include <cstdint>

#include "app/live/loop.h"
#include "gpu/engine.h"

namespace saccade {

// Viewers of a loop that has no window.
class Audience {
public:
    virtual ~Audience() = default;
    // Before a step: adds what they want, always or once.
    virtual void add_wishes(Wishes& wishes, Events& events) = 0;
    // After it: sends them the result. `new_picture` is what the step returned.
    virtual void show(const LiveLoop& loop, const Wishes& wishes, bool new_picture) = 0;
};

struct HeadlessOptions {
    Wishes wishes;  // to begin with
    EngineOptions engine;
    CaptureOptions capture;
    uint64_t frames = 0;            // ends after this many; 0: when the source ends, or by Ctrl-C
    Audience* audience = nullptr;   // null: none
    bool audience_prompts = false;  // viewers may give prompts to models that have none yet
};

// The live loop without a window, until it ends, or Interrupts::came(). A lost device is opened
// again. Without an audience, a camera that is missing, or frames that cannot be sent, end it.
// Prints a summary and returns the exit code.
int run_headless(const HeadlessOptions& options);

}  // namespace saccade
