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

// Masks that share out the pixels of a frame, as transformers' post_process_panoptic_segmentation does
// it: a pixel goes to the mask whose score times sigmoid is greatest there.
struct PanopticMask {
    std::span<const float> logits;
    float score = 0;
    uint32_t object = 0;  // masks of one object are put together
};
// A mask's own pixels are those where that product is at least `inside`, or for those that score less
// than that, where the sigmoid is at least one half. One that gets less than `kept` times as many is
// dropped, and its pixels are nobody's.
struct PanopticRules {
    float inside = 0.5f, kept = 0.8f;
};
// The runs of each object; empty if all of its masks were dropped.
std::vector<std::vector<uint32_t>> panoptic_runs(std::span<const PanopticMask> masks,
                                                 uint32_t objects, Size map, Size frame,
                                                 const PanopticRules& rules = {});

}  // namespace saccade
