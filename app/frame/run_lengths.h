#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace saccade {

// COCO's compressed RLE: each run length as the difference to the one before the last, five bits
// per character, least significant first.
std::string coco_counts(std::span<const uint32_t> runs);

}  // namespace saccade
