#pragma once

#include <deque>
#include <vector>

#include "app/live/window/window.h"

namespace saccade {

// What a person does comes at any time; Dear ImGui sees the state of keys and buttons once a frame.
// A key that goes down and up between two frames would never have been pressed. So events wait
// here, and a frame gets as many of them as it can tell apart: what is typed, all moves of the
// mouse, and one change of a button or of a key that types nothing.
class InputQueue {
public:
    void add(std::vector<WindowEvent> events);
    // What the next frame is to see.
    std::vector<WindowEvent> take();
    bool empty() const { return events_.empty(); }

private:
    std::deque<WindowEvent> events_;
    bool shortcuts_ = false;  // Ctrl, Alt or Super is down
};

}  // namespace saccade
