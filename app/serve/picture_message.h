#pragma once

#include <cstdint>
#include <vector>

#include "app/serve/exchange.h"

namespace saccade {

// Appends a frame as a viewer's page takes it: the length of what follows in four bytes, the lowest
// first; a JSON object; the JPEG; and the levels of the viewer's map of attention, if he has one.
//   {"number": 12, "captured": MS, "sent": MS, "line": {...}, "found": {...}, "jpeg": BYTES,
//    "map": {"who": "patch", "layer": 3, "layers": 12, "heads": 12, "count": 1, "largest": [0.2],
//            "grid": {"width", "height"}, "geometry": {"left", "top", "cell_width",
//            "cell_height"}}}
// "patch" is where a patch lies in the grid, and "window" [left, top, right, bottom] all that it
// can see, if not everything. Levels are 0 .. 255 and span 0 to the largest of each map, as in
// inspect's page. A detection that looks at points has "points", [x, y, share, level] each, a colour for
// each level, "point_colours", and in words what these are, "points_on". "kind" is there if it is not attention: "similarity" of features, or their
// "colours", red, green and blue. Times are milliseconds since the server began.
void append_picture_message(std::vector<unsigned char>& to, const ServedFrame& frame,
                            uint32_t viewer, double captured_ms, double sent_ms);

}  // namespace saccade
