#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

// Helpers for the HTML pages. A page is self-contained: its styles and scripts are inline, and all
// pages include page.css and page.js.

namespace saccade {

// The text of a file that is embedded in the program: "page.css".
std::string text_asset(std::string_view name);

// Escapes untrusted text for HTML, including quoted attributes.
std::string escaped(const std::string& text);
// JSON for a script element: "<" is escaped, so that no string in it can end the element.
std::string for_script(const nlohmann::ordered_json& object);
// The source expression of an inline script or style in a content security policy.
std::string hash_of(const std::string& text);
// Replaces each {{name}} by its value. Inserted values are not searched again.
std::string filled(const std::string& form, const std::map<std::string, std::string>& values);

// Adds what every page's template needs: "head" with title, styles and, if `policy` is not empty, a
// content security policy; and the shared parts of the body. `parts` has "title" and "style".
void add_shared_parts(std::map<std::string, std::string>& parts, const std::string& policy = "");

// "#rrggbb"
std::string css_colour(uint32_t colour);

}  // namespace saccade
