#pragma once

#include <string_view>

namespace saccade {

// Whether a label is one of COCO's panoptic "stuff" classes, such as sky, grass and walls.
bool is_stuff(std::string_view label);

}  // namespace saccade
