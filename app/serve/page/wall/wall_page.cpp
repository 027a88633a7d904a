#include "app/serve/page/wall/wall_page.h"

#include <map>

#include "app/page/page.h"

namespace saccade {

LivePage wall_page(const std::string& title) {
    const std::map<std::string, std::string> parts = {
        {"title", escaped(title)},
        {"style", text_asset("page.css") + text_asset("wall.css")},
        {"script", text_asset("wall.js")}};
    return page_of("wall.html", parts);
}

}  // namespace saccade
