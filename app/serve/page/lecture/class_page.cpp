#include "app/serve/page/lecture/class_page.h"

namespace saccade {

LivePage class_page(const std::string& title) {
    LivePage page = page_named("class", title);
    page.policy += "; frame-src 'self'";
    return page;
}

}  // namespace saccade
