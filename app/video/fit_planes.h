#pragma once

#include "gpu/transfer/planes.h"

namespace saccade {

// Writes a picture into planes of another size or chroma subsampling: scaled to fit, with black
// bars (letterbox).
void fit_planes(const PlanarView& picture, const PlaneLayout& size, uint8_t* const planes[3],
                const int row_bytes[3]);

}  // namespace saccade
