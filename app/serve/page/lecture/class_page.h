#pragma once

#include <string>

#include "app/serve/page/live_page.h"

namespace saccade {

// The page of a class: the lecture, and who follows whom.
LivePage class_page(const std::string& title);

}  // namespace saccade
