#include "app/serve/page/wall/wall_page.h"

namespace saccade {

LivePage wall_page(const std::string& title) { return page_named("wall", title); }

}  // namespace saccade
