#include "app/live/keys.h"

#include "app/live/window/window.h"

namespace saccade {

std::span<const KeyBinding> key_bindings() {
    static constexpr KeyBinding bindings[] = {
        {U' ', U' ', "Space", "freeze", "the picture stands still, a file pauses; explore it",
         [](LiveState& s, char32_t) { s.frozen = !s.frozen; }},
        {U'a', U'a', "A", "maps",
         "off, rollout, mean of heads, greatest, one, all, similarity, colours",
         [](LiveState& s, char32_t) { next_attention_mode(s); }},
        {U'm', U'm', "M", "ask", "the detector or the classifier about the patch under the mouse",
         [](LiveState& s, char32_t) {
             AskedModel& asked = maps_under_mouse(s).asked;
             asked = asked == AskedModel::detector ? AskedModel::classifier : AskedModel::detector;
         }},
        {U'b', U'b', "B", "second view", "off, the picture as it came, other maps",
         [](LiveState& s, char32_t) { next_second_view(s); }},
        {U'o', U'o', "O", "overview", "maps while nobody points at anything, too",
         [](LiveState& s, char32_t) { s.overview = !s.overview; }},
        {U'[', U'[', "[", "layer", "the one before",
         [](LiveState& s, char32_t) { step_layer(s, -1); }},
        {U']', U']', "]", "layer", "the next", [](LiveState& s, char32_t) { step_layer(s, +1); }},
        {U'0', U'9', "0 - 9", "head", "this one of the layer, counted from 0",
         [](LiveState& s, char32_t key) { choose_head(s, key - U'0'); }},
        {U'd', U'd', "D", "boxes", "on and off",
         [](LiveState& s, char32_t) { s.boxes = !s.boxes; }},
        {U'c', U'c', "C", "caption", "on and off",
         [](LiveState& s, char32_t) { s.caption = !s.caption; }},
        {U'l', U'l', "L", "classes", "on and off",
         [](LiveState& s, char32_t) { s.classes = !s.classes; }},
        {U't', U't', "T", "truth", "on and off, where the source knows it",
         [](LiveState& s, char32_t) { s.truth = !s.truth; }},
        {U'k', U'k', "K", "tracks", "the same number for the same thing, on and off",
         [](LiveState& s, char32_t) { s.track = !s.track; }},
        {U'z', U'z', "Z", "lines, zones",
         "draw them with the mouse: Enter ends one, Delete removes",
         [](LiveState& s, char32_t) { s.drawing = !s.drawing; }},
        {left_key, left_key, "Left", "frame", "the frame or picture before",
         [](LiveState& s, char32_t) { step_frame(s, s.shown_frame, -1); }},
        {right_key, right_key, "Right", "frame", "the next frame or picture",
         [](LiveState& s, char32_t) { step_frame(s, s.shown_frame, +1); }},
        {home_key, home_key, "Home", "frame", "the first of a file",
         [](LiveState& s, char32_t) { seek_to(s, 0); }},
        {page_up_key, page_up_key, "Page Up", "list", "the one before of files dropped together",
         [](LiveState& s, char32_t) { step_source(s, -1); }},
        {page_down_key, page_down_key, "Page Down", "list", "the next of files dropped together",
         [](LiveState& s, char32_t) { step_source(s, +1); }},
        {U's', U's', "S", "view as picture", "what is seen, with its legend, to a PNG file",
         [](LiveState& s, char32_t) { ++s.view_screenshots; }},
        {U'e', U'e', "E", "frame as picture", "the annotated frame alone, to a PNG file",
         [](LiveState& s, char32_t) { ++s.screenshots; }},
        {U'v', U'v', "V", "record the view", "to an mp4 file, and stop",
         [](LiveState& s, char32_t) { s.view_recording = !s.view_recording; }},
        {U'r', U'r', "R", "record frames", "to an mp4 file, and stop",
         [](LiveState& s, char32_t) { s.recording = !s.recording; }},
        {U'n', U'n', "N", "map as .npy", "the maps that are shown, for NumPy",
         [](LiveState& s, char32_t) { ++s.saved_maps; }},
        {U'i', U'i', "I", "page", "freezes, and opens the page of inspect for this frame",
         [](LiveState& s, char32_t) {
             s.frozen = true;
             ++s.pages;
         }},
        {U'p', U'p', "P", "panel", "on and off",
         [](LiveState& s, char32_t) { s.panels = !s.panels; }},
        {U'f', U'f', "F", "full screen", "on and off",
         [](LiveState& s, char32_t) { s.full_screen = !s.full_screen; }},
        {U'h', U'h', "H", "keys", "this list", [](LiveState& s, char32_t) { s.help = !s.help; }},
        {U'q', U'q', "Q", "quit", "", [](LiveState& s, char32_t) { s.quit = true; }},
        {escape_key, escape_key, "Esc", "let go", "what is held; leave the full screen; else quit",
         [](LiveState& s, char32_t) {
             if (s.help)
                 s.help = false;
             else if (holds(s))
                 release_held(s);
             else if (s.full_screen)
                 s.full_screen = false;
             else
                 s.quit = true;
         }},
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
