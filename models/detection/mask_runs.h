#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/core/geometry.h"

namespace saccade {

// A mask of a frame by run lengths, as COCO counts them: column by column, outside first.
// `logits` are those of a map of this size; where their sigmoid, interpolated between cells, is
// above one half, the frame's pixel is inside.
std::vector<uint32_t> mask_runs(std::span<const float> logits, Size map, Size frame);

}  // namespace saccade
