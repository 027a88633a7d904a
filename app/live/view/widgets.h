#pragma once

#include <imgui.h>

#include <string>

#include "gpu/core/geometry.h"

// Parts that all panels share.

namespace saccade {

inline float em() { return ImGui::GetFontSize(); }

inline void text(const std::string& line) { ImGui::TextUnformatted(line.c_str()); }

// A tooltip for the last item.
void tip(const char* what);

void warning(const std::string& line);
// A line in a fainter colour.
void quiet(const std::string& line);

// Progress from 0 to 1: as text, with a bar below.
void progress(const std::string& what, float share);

// A line of text that takes effect with Enter. True when it does.
bool wish(const char* label, std::string& value);

// A list to choose from; Esc closes it. ImGui::EndCombo() ends it, if this is true.
bool begin_choice(const char* label, const std::string& shown);

// A part of the window with a fixed place.
bool begin_part(const char* name, const Rectangle& place, ImGuiWindowFlags more = 0);
inline void end_part() { ImGui::End(); }

}  // namespace saccade
