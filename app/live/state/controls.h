#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "app/live/state/session.h"

namespace saccade {

// Where the check box of a switch lies in the window.
enum class PanelPart { none, shown, tracks, regions, truth, attention, keep, player };

// How the browser's page has a switch: not at all, for each viewer alone, or for all of them.
enum class PageScope { none, viewer, shared };

// Where the value of a switch lies. A switch of the page alone has none.
using SwitchField = std::variant<std::monostate, bool Wishes::*, bool Wishes::Look::*,
                                 bool AttentionState::*, bool Wishes::Window::*>;

// A row of the table of all that can be switched on and off or done with a key. Keys, panel, key
// list, settings file, browser page and redrawing are made from it: a new switch is a row here, a
// bool in Wishes, and the code that draws it.
struct Control {
    char32_t key = 0;        // what it types, so that it is where a keyboard has it; 0: none
    char32_t last_key = 0;   // all keys from `key` to this one; 0: only that
    const char* keys = "";   // for people: "Space"
    const char* label = "";  // in the panel, the key list and the page
    const char* line = "";   // in the key list
    // Of a switch:
    const char* name = "";   // in the settings file and in messages of viewers
    SwitchField field = {};  // in Wishes::Look a change draws the picture again
    bool saved = false;      // the settings file keeps it
    PanelPart panel = PanelPart::none;
    const char* tip = "";  // while the mouse is on it in the panel or the page
    PageScope page = PageScope::none;
    // Of any other key:
    void (*press)(Session& session, char32_t key) = nullptr;

    bool is_switch() const { return *name != 0; }
    // Whether a picture that stands still is drawn again when it is switched.
    bool redraws() const;
};
std::span<const Control> controls();

// The switch with this name; null if there is none.
const Control* switch_named(std::string_view name);
// Its value; null for a switch of the page alone.
bool* value_of(const Control& control, Wishes& wishes);
const bool* value_of(const Control& control, const Wishes& wishes);
// "boxes (D): around what the detector has found"
std::string tip_of(const Control& control);

// False where the key is for nothing. Capital letters are the same keys as small ones.
bool press_key(Session& session, char32_t key);

}  // namespace saccade
