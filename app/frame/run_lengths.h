#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace saccade {

// Run lengths as COCO's files spell them: each as the difference to the one before the last, five
// bits to a letter, the lowest first.
std::string coco_counts(std::span<const uint32_t> runs);

}  // namespace saccade
