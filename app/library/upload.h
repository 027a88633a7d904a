#pragma once

#include <memory>
#include <span>
#include <vector>

#include "app/library/saccade.h"
#include "gpu/transfer/frame.h"

namespace saccade {

// How a picture of the caller lies in a frame's slot. An Error if it has no pixels.
PixelLayout layout_of(const saccade_picture& picture);

// Copies the picture into the slot of a frame of its layout: rows without gaps, alpha left out, the
// chroma of NV12 as two planes.
void write(const saccade_picture& picture, const Frame& frame);

}  // namespace saccade
