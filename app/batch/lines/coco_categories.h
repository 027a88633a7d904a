#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace saccade {

// The number that COCO's own files give to a thing of this name; none if COCO has no such thing.
// Models count their classes in their own ways, and some use other words for six of them.
std::optional<uint32_t> coco_category(std::string_view label);

}  // namespace saccade
