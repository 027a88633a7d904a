#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "gpu/core/geometry.h"

namespace saccade {

// The point of a box that counts as the object's position.
enum class Anchor { bottom, middle, top };

// A line or a zone of a picture.
struct Region {
    std::string name;
    bool zone = false;               // else a line
    std::vector<glm::vec2> corners;  // of a zone; of a line, its two ends
    Anchor anchor = Anchor::bottom;
    bool operator==(const Region&) const = default;
};

// The lines and zones of a source.
struct Regions {
    std::optional<Size> size;  // of the picture that they were drawn on; none: the frame's
    std::vector<Region> all;
    bool operator==(const Regions&) const = default;
};

// From a file such as
//   {"size": [1280, 720],
//    "lines": [{"name": "door", "from": [600, 0], "to": [600, 720], "point": "middle"}],
//    "zones": [{"name": "yard", "corners": [[0, 400], [500, 400], [500, 720], [0, 720]]}]}
// An Error says what is wrong with it.
Regions read_regions(const std::filesystem::path& path);
// `where` names the file in errors.
Regions regions_from(const nlohmann::ordered_json& json, const std::string& where);
nlohmann::ordered_json json_of(const Regions& regions);

glm::vec2 point_of(const Rectangle& box, Anchor anchor);
// The signed distance from the infinite line in pixels: positive on the right when walking from the
// line's first end to its second.
float side_of(const Region& line, glm::vec2 point);
// Whether the segment between two points intersects the line between its ends.
bool crosses(const Region& line, glm::vec2 from, glm::vec2 to);
// The distance from a zone's border in pixels, positive inside.
float depth_in(const Region& zone, glm::vec2 point);

}  // namespace saccade
