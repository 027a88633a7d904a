#include "app/serve/page/live_page.h"

#include <map>
#include <span>

#include "app/draw/colour.h"
#include "app/page/base64.h"
#include "app/page/page.h"

namespace saccade {

LivePage live_page(const std::string& title) {
    const auto colours = heat_colours();
    std::string script;
    for (const char* part :
         {"page", "labels", "captions", "link", "switches", "head_table", "looking", "drawing",
          "found", "marks", "regions", "words", "player", "panels", "lecture_button", "live"})
        script += text_asset(std::string(part) + ".js");
    std::map<std::string, std::string> parts = {
        {"title", escaped(title)},
        {"style", text_asset("page.css") + text_asset("live.css")},
        {"script", script},
        {"heat-colours", base64(std::as_bytes(std::span(colours)))}};
    return page_of("live.html", std::move(parts));
}

LivePage page_named(const std::string& name, const std::string& title) {
    return page_of((name + ".html").c_str(),
                   {{"title", escaped(title)},
                    {"style", text_asset("page.css") + text_asset(name + ".css")},
                    {"script", text_asset(name + ".js")}});
}

LivePage page_of(const char* file, std::map<std::string, std::string> parts) {
    add_shared_parts(parts);
    LivePage page;
    page.html = filled(text_asset(file), parts);
    page.policy = "default-src 'none'; img-src data: blob:; connect-src 'self'; style-src '" +
                  hash_of(parts.at("style")) + "'; script-src '" + hash_of(parts.at("script")) +
                  "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    return page;
}

}  // namespace saccade
