#pragma once

#include <cstdint>
#include <vector>

#include "app/serve/exchange.h"

namespace saccade {

// Appends a frame in the format of the viewer's page: the length of the JSON object in four bytes,
// the lowest first; the object; the JPEG; and the levels of the viewer's attention map, if there is
// one.
//   {"number": 12, "captured": MS, "sent": MS, "line": {...}, "found": {...}, "jpeg": BYTES,
//    "map": {"who": "patch", "layer": 3, "layers": 12, "heads": 12, "count": 1, "largest": [0.2],
//            "grid": {"width", "height"}, "geometry": {"left", "top", "cell_width",
//            "cell_height"}}}
// "patch" is the place of a patch in the grid, and "window" [left, top, right, bottom] its window
// where attention is windowed. Levels are 0 .. 255 and span 0 to the largest of each map, as in the
// page of inspect. With deformable attention a detection has "points", [x, y, share, level] each, a
// colour for each level, "point_colours", and a description of the levels, "points_on". "kind" is
// "similarity" of features, or their "colours", red, green and blue; it is missing for attention.
// Times are milliseconds since the server began.
void append_picture_message(std::vector<unsigned char>& to, const ServedFrame& frame,
                            uint32_t viewer, double captured_ms, double sent_ms);

}  // namespace saccade
