#pragma once

#include <string_view>

namespace saccade {

// Whether a label is one of those of COCO's panoptic classes that are not things: sky, grass, walls.
bool is_stuff(std::string_view label);

}  // namespace saccade
