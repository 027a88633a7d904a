#pragma once

#include <span>

#include "app/live/state.h"

namespace saccade {

// One line of the help overlay, and what happens. A key is what it types, so that it is where a
// person's keyboard has it; capital letters do what small ones do.
struct KeyBinding {
    char32_t first, last;  // all keys from first to last
    const char* keys;      // as people call them
    const char* name;      // what the panel calls it
    const char* what;
    void (*press)(LiveState& state, char32_t key);
};
std::span<const KeyBinding> key_bindings();

// Does what the key is for; false where it is for nothing.
bool press_key(LiveState& state, char32_t key);

}  // namespace saccade
