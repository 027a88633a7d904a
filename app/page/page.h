#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

// What pages are made of. They load nothing from anywhere: styles and scripts are part of them, and
// page.css and page.js are part of all of them.

namespace saccade {

// A file that is part of the program, as text: "page.css".
std::string text_asset(std::string_view name);

// Text from anywhere as text of a page, also within an attribute's quotes.
std::string escaped(const std::string& text);
// JSON that no text in it can end: a script element ends at a "<".
std::string for_script(const nlohmann::ordered_json& object);
// How a page names a script or style that it allows.
std::string hash_of(const std::string& text);
// Replaces each {{name}} by its value, once: what comes in is not looked through again.
std::string filled(const std::string& form, const std::map<std::string, std::string>& values);

// "#rrggbb"
std::string css_colour(uint32_t colour);

}  // namespace saccade
