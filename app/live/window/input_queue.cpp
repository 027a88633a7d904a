#include "app/live/window/input_queue.h"

#include <vulkan/vulkan.h>  // before GLFW, which then offers surfaces

#include <GLFW/glfw3.h>

#include <iterator>
#include <utility>

namespace saccade {

namespace {

using Kind = WindowEvent::Kind;

// Letters and the like matter by what they type, which comes as an event of its own.
bool types(const WindowEvent::BoardKey& key) {
    return (key.code >= GLFW_KEY_SPACE && key.code < GLFW_KEY_ESCAPE) ||
           (key.code >= GLFW_KEY_KP_0 && key.code <= GLFW_KEY_KP_EQUAL &&
            key.code != GLFW_KEY_KP_ENTER);
}

bool makes_shortcuts(const WindowEvent::BoardKey& key) {
    return (key.mods & (GLFW_MOD_CONTROL | GLFW_MOD_ALT | GLFW_MOD_SUPER)) != 0;
}

// What one frame has been given so far.
struct Given {
    bool text = false, key = false, button = false;

    bool takes(const WindowEvent& event, bool plain) const {
        switch (event.kind) {
            case Kind::key:
                return !key && !button;
            case Kind::board:
                return plain || (!text && !key && !button);
            case Kind::press:
            case Kind::release:
                return !text && !key && !button;
            case Kind::move:
            case Kind::leave:
            case Kind::wheel:
                return !button;
            case Kind::drop:
                break;
        }
        return true;
    }
    void add(const WindowEvent& event, bool plain) {
        text = text || event.kind == Kind::key;
        key = key || (event.kind == Kind::board && !plain);
        button = button || event.kind == Kind::press || event.kind == Kind::release;
    }
};

}  // namespace

void InputQueue::add(std::vector<WindowEvent> events) {
    events_.insert(events_.end(), std::make_move_iterator(events.begin()),
                   std::make_move_iterator(events.end()));
}

std::vector<WindowEvent> InputQueue::take() {
    std::vector<WindowEvent> taken;
    Given given;
    while (!events_.empty()) {
        WindowEvent& event = events_.front();
        const bool plain = event.kind == Kind::board && types(event.board) &&
                           !makes_shortcuts(event.board) && !shortcuts_;
        if (!given.takes(event, plain)) break;
        if (event.kind == Kind::board) shortcuts_ = makes_shortcuts(event.board);
        given.add(event, plain);
        taken.push_back(std::move(event));
        events_.pop_front();
    }
    return taken;
}

}  // namespace saccade
