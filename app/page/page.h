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

// What every page has, by the names that its form gives them: "head" with title, styles and, where
// the page says it itself, the policy of what it may load; and the parts of its body that all share.
// `parts` has the page's own: "title" and "style" are asked for.
void add_shared_parts(std::map<std::string, std::string>& parts, const std::string& policy = "");

// "#rrggbb"
std::string css_colour(uint32_t colour);

}  // namespace saccade
