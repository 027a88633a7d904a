#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/core/geometry.h"

namespace saccade {

// A mask of a frame as COCO's run-length encoding: column by column, starting with a run of outside
// pixels. `logits` are those of a map of this size; a pixel is inside if their sigmoid,
// interpolated bilinearly, is above one half.
std::vector<uint32_t> mask_runs(std::span<const float> logits, Size map, Size frame);

// Panoptic segmentation as transformers' post_process_panoptic_segmentation does it: a pixel
// belongs to the mask with the greatest score * sigmoid.
struct PanopticMask {
    std::span<const float> logits;
    float score = 0;
    uint32_t object = 0;  // masks of the same object are merged
};
// A mask's own area is where score * sigmoid is at least `inside`; for a score below that, where
// the sigmoid is at least one half. A mask that wins less than `kept` of its own area is dropped,
// and its pixels belong to no object.
struct PanopticRules {
    float inside = 0.5f, kept = 0.8f;
};
// The runs of each object; empty if all its masks were dropped.
std::vector<std::vector<uint32_t>> panoptic_runs(std::span<const PanopticMask> masks,
                                                 uint32_t objects, Size map, Size frame,
                                                 const PanopticRules& rules = {});

}  // namespace saccade
