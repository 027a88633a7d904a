#pragma once

#include <imgui.h>

#include <string>

#include "gpu/core/geometry.h"

// Small things that all panels are made of.

namespace saccade {

inline float em() { return ImGui::GetFontSize(); }

inline void text(const std::string& line) { ImGui::TextUnformatted(line.c_str()); }

// What the thing before is for, while the mouse is on it.
void tip(const char* what);

void warning(const std::string& line);
// One that says less than the others.
void quiet(const std::string& line);

// How far something is, 0 to 1: in words, with a bar below.
void progress(const std::string& what, float share);

// A line of text that takes effect when it is finished with Enter. True when it has.
bool wish(const char* label, std::string& value);

// A list to choose from; Esc closes it. ImGui::EndCombo() ends it, if this is true.
bool begin_choice(const char* label, const std::string& shown);

// A part of the window that nobody can move.
bool begin_part(const char* name, const Rectangle& place, ImGuiWindowFlags more = 0);
inline void end_part() { ImGui::End(); }

}  // namespace saccade
