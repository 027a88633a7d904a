#pragma once

#include <map>
#include <string>

namespace saccade {

// The page of --serve, and its content security policy for the response's header.
struct LivePage {
    std::string html, policy;
};
LivePage live_page(const std::string& title);
// Of a file with these parts, of which "style" and "script" are all that the page may run.
LivePage page_of(const char* file, std::map<std::string, std::string> parts);
// Of NAME.html, with the shared styles, NAME.css and NAME.js.
LivePage page_named(const std::string& name, const std::string& title);

}  // namespace saccade
