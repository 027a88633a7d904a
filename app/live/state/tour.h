#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "app/live/state/pointer.h"

namespace saccade {

// What the window shows by itself until a person does something: what the strongest detection
// looked at, then each word of the caption, again and again.
class Tour {
public:
    using Time = std::chrono::steady_clock::time_point;

    // What can be shown of the picture.
    struct Sights {
        uint64_t scene = 0;                  // of another picture, it begins again
        std::optional<uint32_t> query = {};  // of the strongest detection
        uint32_t words = 0;                  // of the caption
        bool all = false;                    // nothing more will come
        bool moves = false;                  // the caption is soon of another picture
    };

    // A tour that is not on never begins.
    explicit Tour(bool on) : on_(on) {}
    bool on() const { return on_; }
    void stop() { on_ = false; }
    // The mouse is here. A window may open under a mouse that nobody touches.
    void see_mouse(glm::vec2 place);

    // The target of the maps now.
    Target target(const Sights& sights, Time now);
    // Whether it has not been through the sights of any picture yet.
    bool first_round() const { return on_ && rounds_ == 0; }

private:
    void go_on(const Sights& sights, Time now);

    bool on_;
    std::optional<glm::vec2> mouse_;
    uint64_t scene_ = 0;
    uint32_t stage_ = 0;  // 0: the detection; then words, counted from 1
    uint32_t rounds_ = 0;
    std::optional<Time> since_;  // of this stage
};

}  // namespace saccade
