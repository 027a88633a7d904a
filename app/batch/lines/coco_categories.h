#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace saccade {

// COCO's category_id of a label; none if COCO has no such category. Models number their classes in
// their own ways, and some have other names for six of them.
std::optional<uint32_t> coco_category(std::string_view label);

}  // namespace saccade
