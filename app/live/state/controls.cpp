#include "app/live/state/controls.h"

#include <type_traits>
#include <utility>

#include "app/live/window/window.h"

namespace saccade {

namespace {

void release_or_leave(Session& s) {
    Wishes::Window& window = s.wishes.window;
    if (window.help)
        window.help = false;
    else if (holds(s.pointer))
        release_held(s.pointer);
    else if (s.wishes.wall.front && s.wishes.wall.count > 1)
        s.wishes.wall.front.reset();
    else if (window.full_screen)
        window.full_screen = false;
    else
        s.events.add(Quit{});
}

void switch_model(Session& s) {
    MapModel& model = maps_under_mouse(s).model;
    model = other(model);
}

void make_page(Session& s, bool lecture) {
    s.wishes.frozen = true;
    s.events.add(MakePage{lecture});
}

// In the order of the key list and of the panel.
constexpr Control table[] = {
    {.key = U' ',
     .keys = "Space",
     .label = "freeze",
     .line = "the picture stands still, a file pauses; explore it",
     .name = "frozen",
     .field = &Wishes::frozen,
     .page = PageScope::shared},
    {.key = U'a',
     .keys = "A",
     .label = "maps",
     .line = "off, rollout, mean of heads, greatest, one, all, similarity, colours, cause",
     .press = [](Session& s, char32_t) { next_attention_mode(s); }},
    {.key = U'm',
     .keys = "M",
     .label = "ask",
     .line = "the detector or the classifier about the patch under the mouse",
     .press = [](Session& s, char32_t) { switch_model(s); }},
    {.key = U'b',
     .keys = "B",
     .label = "second view",
     .line = "off, the picture as it came, other maps",
     .press = [](Session& s, char32_t) { next_second_view(s.wishes); }},
    {.label = "one scale for all",
     .name = "fixed_scale",
     .field = &AttentionState::fixed_scale,
     .saved = true,
     .panel = PanelPart::attention,
     .tip = "a colour means the same in every map; else the largest value of each map has the last "
            "colour"},
    {.key = U'w',
     .keys = "W",
     .label = "meter",
     .line = "what the shown map is worth, beside random orders",
     .name = "meter",
     .field = &Wishes::Look::meter,
     .tip = "how much of the score the patches carry that the shown map ranks first, beside random "
            "ones: measured by knocking them out while the picture stands still"},
    {.key = U'x',
     .keys = "X",
     .label = "heads on",
     .line = "all heads that were switched off",
     .press = [](Session& s, char32_t) { s.wishes.look.heads_off.clear(); }},
    {.key = U'o',
     .keys = "O",
     .label = "overview",
     .line = "maps also while the mouse is elsewhere",
     .name = "overview",
     .field = &Wishes::Look::overview,
     .saved = true,
     .panel = PanelPart::attention,
     .tip = "maps also while the mouse is elsewhere: of the strongest detection, or of the "
            "classifier's class token",
     .page = PageScope::viewer},
    {.key = U'[',
     .keys = "[",
     .label = "layer",
     .line = "the one before",
     .press = [](Session& s, char32_t) { step_layer(s, -1); }},
    {.key = U']',
     .keys = "]",
     .label = "layer",
     .line = "the next",
     .press = [](Session& s, char32_t) { step_layer(s, +1); }},
    {.key = U'0',
     .last_key = U'9',
     .keys = "0 - 9",
     .label = "head",
     .line = "this one of the layer, counted from 0",
     .press = [](Session& s, char32_t key) { choose_head(s, key - U'0'); }},
    {.key = U'd',
     .keys = "D",
     .label = "boxes",
     .line = "on and off",
     .name = "boxes",
     .field = &Wishes::Look::boxes,
     .saved = true,
     .panel = PanelPart::shown,
     .tip = "around what the detector has found",
     .page = PageScope::viewer},
    {.label = "masks",
     .name = "masks",
     .tip = "of what the detector has found",
     .page = PageScope::viewer},
    {.label = "trails",
     .name = "trails",
     .tip = "where tracks were in the last two seconds",
     .page = PageScope::viewer},
    {.label = "lines, zones",
     .name = "regions",
     .tip = "with what they have counted",
     .page = PageScope::viewer},
    {.key = U'c',
     .keys = "C",
     .label = "caption",
     .line = "on and off",
     .name = "caption",
     .field = &Wishes::Look::caption,
     .saved = true,
     .panel = PanelPart::shown,
     .tip = "the captioner's sentence",
     .page = PageScope::viewer},
    {.key = U'l',
     .keys = "L",
     .label = "classes",
     .line = "on and off",
     .name = "classes",
     .field = &Wishes::Look::classes,
     .saved = true,
     .panel = PanelPart::shown,
     .tip = "classes that the classifier finds likely",
     .page = PageScope::viewer},
    {.key = U'g',
     .keys = "G",
     .label = "grid",
     .line = "the borders of patches over their map, on and off",
     .name = "grid",
     .field = &Wishes::Window::grid,
     .saved = true,
     .panel = PanelPart::shown,
     .tip = "the borders of patches over their map",
     .page = PageScope::viewer},
    {.key = U'u',
     .keys = "U",
     .label = "truth",
     .line = "on and off, where the source knows it",
     .name = "truth",
     .field = &Wishes::Look::truth,
     .saved = true,
     .panel = PanelPart::truth,
     .tip = "what is really there, which the source knows",
     .page = PageScope::viewer},
    {.key = U'k',
     .keys = "K",
     .label = "tracks",
     .line = "the same number for the same thing, on and off",
     .name = "track",
     .field = &Wishes::Look::track,
     .saved = true,
     .panel = PanelPart::tracks,
     .tip = "the same number for the same thing in every frame",
     .page = PageScope::shared},
    {.key = U'z',
     .keys = "Z",
     .label = "lines, zones",
     .line = "draw them with the mouse: Enter ends one, Delete removes",
     .name = "drawing",
     .field = &Wishes::Window::drawing,
     .panel = PanelPart::regions,
     .tip =
         "click points on the picture; Enter or a double click ends. Two points are a line, more "
         "a zone. Points can be dragged; Delete takes one back. They count tracks, and are kept "
         "with the source"},
    {.label = "loop",
     .name = "loop",
     .field = &Wishes::loop,
     .panel = PanelPart::player,
     .tip = "at its end the file begins again"},
    {.key = left_key,
     .keys = "Left",
     .label = "frame",
     .line = "the frame or picture before",
     .press = [](Session& s, char32_t) { step_frame(s, -1); }},
    {.key = right_key,
     .keys = "Right",
     .label = "frame",
     .line = "the next frame or picture",
     .press = [](Session& s, char32_t) { step_frame(s, +1); }},
    {.key = home_key,
     .keys = "Home",
     .label = "frame",
     .line = "the first of a file",
     .press = [](Session& s, char32_t) { s.events.add(Seek{0}); }},
    {.key = page_up_key,
     .keys = "Page Up",
     .label = "list",
     .line = "the one before of files dropped together",
     .press = [](Session& s, char32_t) { step_source(s, -1); }},
    {.key = page_down_key,
     .keys = "Page Down",
     .label = "list",
     .line = "the next of files dropped together",
     .press = [](Session& s, char32_t) { step_source(s, +1); }},
    {.key = U's',
     .keys = "S",
     .label = "view as picture",
     .line = "what is seen, with its legend, to a PNG file",
     .press = [](Session& s, char32_t) { s.events.add(SaveView{}); }},
    {.key = U'e',
     .keys = "E",
     .label = "frame as picture",
     .line = "the annotated frame alone, to a PNG file",
     .press = [](Session& s, char32_t) { s.events.add(SaveFrame{}); }},
    {.key = U'v',
     .keys = "V",
     .label = "record the view",
     .line = "to an mp4 file, and stop",
     .name = "view_recording",
     .field = &Wishes::view_recording,
     .panel = PanelPart::keep,
     .tip = "to an mp4 file"},
    {.key = U'r',
     .keys = "R",
     .label = "record frames",
     .line = "to an mp4 file, and stop",
     .name = "recording",
     .field = &Wishes::recording,
     .panel = PanelPart::keep,
     .tip = "annotated, to an mp4 file"},
    {.key = U'n',
     .keys = "N",
     .label = "map as .npy",
     .line = "the maps that are shown, for NumPy",
     .press = [](Session& s, char32_t) { s.events.add(SaveMaps{}); }},
    {.key = U'i',
     .keys = "I",
     .label = "page",
     .line = "freezes, and opens the page of inspect for this frame",
     .press = [](Session& s, char32_t) { make_page(s, false); }},
    {.key = U't',
     .keys = "T",
     .label = "lecture",
     .line = "freezes, and explains the models on this frame in a page",
     .press = [](Session& s, char32_t) { make_page(s, true); }},
    {.key = U'p',
     .keys = "P",
     .label = "panel",
     .line = "on and off",
     .name = "panels",
     .field = &Wishes::Window::panels,
     .saved = true},
    {.key = U'f',
     .keys = "F",
     .label = "full screen",
     .line = "on and off",
     .name = "full_screen",
     .field = &Wishes::Window::full_screen,
     .saved = true},
    {.key = U'h',
     .keys = "H",
     .label = "keys",
     .line = "this list",
     .name = "help",
     .field = &Wishes::Window::help},
    {.key = U'q',
     .keys = "Q",
     .label = "quit",
     .press = [](Session& s, char32_t) { s.events.add(Quit{}); }},
    {.key = escape_key,
     .keys = "Esc",
     .label = "let go",
     .line = "what is held; leave the full screen; else quit",
     .press = [](Session& s, char32_t) { release_or_leave(s); }},
};

}  // namespace

bool Control::redraws() const {
    return std::holds_alternative<bool Wishes::Look::*>(field) ||
           std::holds_alternative<bool AttentionState::*>(field);
}

std::span<const Control> controls() { return table; }

const Control* switch_named(std::string_view name) {
    for (const Control& control : table)
        if (control.is_switch() && control.name == name) return &control;
    return nullptr;
}

const bool* value_of(const Control& control, const Wishes& wishes) {
    auto value = [&](auto member) -> const bool* {
        using Member = decltype(member);
        if constexpr (std::is_same_v<Member, bool Wishes::*>) return &(wishes.*member);
        if constexpr (std::is_same_v<Member, bool Wishes::Look::*>) return &(wishes.look.*member);
        if constexpr (std::is_same_v<Member, bool AttentionState::*>)
            return &(wishes.look.attention.*member);
        if constexpr (std::is_same_v<Member, bool Wishes::Window::*>)
            return &(wishes.window.*member);
        return nullptr;
    };
    return std::visit(value, control.field);
}

bool* value_of(const Control& control, Wishes& wishes) {
    return const_cast<bool*>(value_of(control, std::as_const(wishes)));
}

std::string tip_of(const Control& control) {
    return std::string(control.label) +
           (control.key ? std::string(" (") + control.keys + ")" : "") + ": " + control.tip;
}

bool press_key(Session& session, char32_t key) {
    if (key >= U'A' && key <= U'Z') key += U'a' - U'A';
    for (const Control& control : table) {
        if (control.key == 0 || key < control.key) continue;
        if (key > (control.last_key ? control.last_key : control.key)) continue;
        if (control.press)
            control.press(session, key);
        else if (bool* const value = value_of(control, session.wishes))
            *value = !*value;
        return true;
    }
    return false;
}

}  // namespace saccade
