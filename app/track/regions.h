#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "gpu/core/geometry.h"

namespace saccade {

// Which point of a box says where a thing is.
enum class Anchor { bottom, middle, top };

// A line or a zone of a picture.
struct Region {
    std::string name;
    bool zone = false;               // else a line
    std::vector<glm::vec2> corners;  // of a zone; of a line, its two ends
    Anchor anchor = Anchor::bottom;
    bool operator==(const Region&) const = default;
};

// Those of a source.
struct Regions {
    std::optional<Size> size;  // of the picture that they were drawn on; else the frame's own
    std::vector<Region> all;
    bool operator==(const Regions&) const = default;
};

// From a file such as
//   {"size": [1280, 720],
//    "lines": [{"name": "door", "from": [600, 0], "to": [600, 720], "point": "middle"}],
//    "zones": [{"name": "yard", "corners": [[0, 400], [500, 400], [500, 720], [0, 720]]}]}
// An Error that says what is wrong with it.
Regions read_regions(const std::filesystem::path& path);
// `where` names it in errors.
Regions regions_from(const nlohmann::ordered_json& json, const std::string& where);
nlohmann::ordered_json json_of(const Regions& regions);

// Where a thing is.
glm::vec2 point_of(const Rectangle& box, Anchor anchor);
// On which side of a line: above 0 on the right of somebody who goes from its first end to the
// other, below 0 on the left; the distance from the endless line in pixels.
float side_of(const Region& line, glm::vec2 point);
// Whether the way from one point to another meets the line between its ends.
bool crosses(const Region& line, glm::vec2 from, glm::vec2 to);
// How deep inside of a zone, in pixels; below 0, how far outside.
float depth_in(const Region& zone, glm::vec2 point);

}  // namespace saccade
