#include "app/serve/page/lecture/class_page.h"

#include <map>

#include "app/page/page.h"

namespace saccade {

LivePage class_page(const std::string& title) {
    const std::map<std::string, std::string> parts = {
        {"title", escaped(title)},
        {"style", text_asset("page.css") + text_asset("class.css")},
        {"script", text_asset("class.js")}};
    LivePage page = page_of("class.html", parts);
    page.policy += "; frame-src 'self'";
    return page;
}

}  // namespace saccade
