#include "app/live/keys.h"

#include "app/live/window/window.h"

namespace saccade {

std::span<const KeyBinding> key_bindings() {
    static constexpr KeyBinding bindings[] = {
        {U' ', U' ', "Space", "freeze the picture, and go on exploring it",
         [](LiveState& s, char32_t) { s.frozen = !s.frozen; }},
        {U'a', U'a', "A", "attention: off, rollout, mean, max, one head, all heads",
         [](LiveState& s, char32_t) { next_attention_mode(s); }},
        {U'[', U'[', "[", "the layer before", [](LiveState& s, char32_t) { step_layer(s, -1); }},
        {U']', U']', "]", "the next layer", [](LiveState& s, char32_t) { step_layer(s, +1); }},
        {U'1', U'9', "1 - 9", "this head",
         [](LiveState& s, char32_t key) { choose_head(s, key - U'1'); }},
        {U'd', U'd', "D", "boxes on and off", [](LiveState& s, char32_t) { s.boxes = !s.boxes; }},
        {U'c', U'c', "C", "caption on and off",
         [](LiveState& s, char32_t) { s.caption = !s.caption; }},
        {U't', U't', "T", "truth on and off, where the source knows it",
         [](LiveState& s, char32_t) { s.truth = !s.truth; }},
        {U'r', U'r', "R", "record to an mp4 file, and stop",
         [](LiveState& s, char32_t) { s.recording = !s.recording; }},
        {U's', U's', "S", "screenshot to a PNG file",
         [](LiveState& s, char32_t) { ++s.screenshots; }},
        {U'p', U'p', "P", "panels on and off",
         [](LiveState& s, char32_t) { s.panels = !s.panels; }},
        {U'f', U'f', "F", "full screen",
         [](LiveState& s, char32_t) { s.full_screen = !s.full_screen; }},
        {U'h', U'h', "H", "this help", [](LiveState& s, char32_t) { s.help = !s.help; }},
        {U'q', U'q', "Q", "quit", [](LiveState& s, char32_t) { s.quit = true; }},
        {escape_key, escape_key, "Esc", "quit", [](LiveState& s, char32_t) { s.quit = true; }},
    };
    return bindings;
}

bool press_key(LiveState& state, char32_t key) {
    if (key >= U'A' && key <= U'Z') key += U'a' - U'A';
    for (const KeyBinding& binding : key_bindings()) {
        if (key < binding.first || key > binding.last) continue;
        binding.press(state, key);
        return true;
    }
    return false;
}

}  // namespace saccade
