#include "app/track/regions.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "app/io/text.h"
#include "gpu/core/error.h"

namespace saccade {

namespace {

using Object = nlohmann::ordered_json;

constexpr size_t most_regions = 64, most_corners = 256;
constexpr float most_pixels = 1e6f;

struct AnchorName {
    Anchor anchor;
    const char* name;
};
constexpr AnchorName anchors[] = {
    {Anchor::bottom, "bottom"}, {Anchor::middle, "middle"}, {Anchor::top, "top"}};

// What is wrong with the file, in terms of its keys.
struct Wrong {
    std::string what;
};

glm::vec2 point_from(const Object& json, const std::string& of) {
    if (!json.is_array() || json.size() != 2 || !json[0].is_number() || !json[1].is_number())
        throw Wrong{of + " is no point; write [x, y]"};
    const glm::vec2 point(json[0].get<float>(), json[1].get<float>());
    if (!(glm::length(point) < most_pixels))
        throw Wrong{of + " lies too far outside of the picture"};
    return point;
}

Region region_from(const Object& json, bool zone) {
    const std::string kind = zone ? "a zone" : "a line";
    if (!json.is_object() || !json.contains("name") || !json["name"].is_string() ||
        json["name"].get_ref<const std::string&>().empty())
        throw Wrong{kind + " has no \"name\""};
    Region region{.name = json["name"], .zone = zone, .corners = {}};
    const std::string own = "'" + region.name + "'";
    for (const auto& [key, value] : json.items())
        if (key != "name" && key != "point" &&
            (zone ? key != "corners" : key != "from" && key != "to"))
            throw Wrong{own + " has \"" + key + "\", which is no key of " + kind};
    if (zone) {
        if (!json.contains("corners") || !json["corners"].is_array() ||
            json["corners"].size() < 3 || json["corners"].size() > most_corners)
            throw Wrong{own + " needs \"corners\", three or more"};
        for (const Object& corner : json["corners"])
            region.corners.push_back(point_from(corner, "a corner of " + own));
    } else {
        for (const char* end : {"from", "to"}) {
            if (!json.contains(end)) throw Wrong{own + " needs \"from\" and \"to\""};
            region.corners.push_back(
                point_from(json[end], std::string("\"") + end + "\" of " + own));
        }
        if (region.corners[0] == region.corners[1]) throw Wrong{own + " has no length"};
    }
    if (!json.contains("point")) return region;
    for (const AnchorName& anchor : anchors)
        if (json["point"] == anchor.name) {
            region.anchor = anchor.anchor;
            return region;
        }
    throw Wrong{"\"point\" of " + own + " is bottom, middle or top"};
}

}  // namespace

Regions regions_from(const Object& json, const std::string& where) try {
    Regions regions;
    if (!json.is_object()) throw Wrong{"it is no JSON object"};
    for (const auto& [key, value] : json.items())
        if (key != "size" && key != "lines" && key != "zones")
            throw Wrong{"\"" + key + "\" is none of size, lines, zones"};
    if (json.contains("size")) {
        const glm::vec2 size = point_from(json["size"], "\"size\"");
        if (!(size.x >= 1 && size.y >= 1)) throw Wrong{"\"size\" is no size"};
        regions.size = Size(size);
    }
    std::set<std::string> names;
    for (const bool zone : {false, true}) {
        const char* const key = zone ? "zones" : "lines";
        if (!json.contains(key)) continue;
        if (!json[key].is_array()) throw Wrong{std::string("\"") + key + "\" is no list"};
        for (const Object& one : json[key]) {
            regions.all.push_back(region_from(one, zone));
            if (!names.insert(regions.all.back().name).second)
                throw Wrong{"two have the name '" + regions.all.back().name + "'"};
        }
    }
    if (regions.all.empty()) throw Wrong{"it has neither \"lines\" nor \"zones\""};
    if (regions.all.size() > most_regions)
        throw Wrong{"it has more than " + std::to_string(most_regions) + " lines and zones"};
    return regions;
} catch (const Wrong& wrong) {
    throw Error("'" + where + "': " + one_line(wrong.what) + "; see app/track/README.md");
}

Regions read_regions(const std::filesystem::path& path) {
    std::ifstream file(path);
    if (!file) throw Error("'" + path.string() + "' cannot be read; --zones takes a file of JSON");
    const Object json = Object::parse(file, nullptr, false);
    if (json.is_discarded())
        throw Error("'" + path.string() + "' is no JSON; see app/track/README.md");
    return regions_from(json, path.string());
}

Object json_of(const Regions& regions) {
    auto json_point = [](glm::vec2 p) { return Object{p.x, p.y}; };
    Object json = Object::object();
    if (regions.size) json["size"] = {regions.size->x, regions.size->y};
    for (const Region& region : regions.all) {
        Object one = {{"name", region.name}};
        if (region.zone) {
            for (const glm::vec2& corner : region.corners)
                one["corners"].push_back(json_point(corner));
        } else {
            one["from"] = json_point(region.corners[0]);
            one["to"] = json_point(region.corners[1]);
        }
        for (const AnchorName& anchor : anchors)
            if (anchor.anchor == region.anchor) one["point"] = anchor.name;
        json[region.zone ? "zones" : "lines"].push_back(one);
    }
    return json;
}

glm::vec2 point_of(const Rectangle& box, Anchor anchor) {
    const glm::vec2 middle = box.middle();
    if (anchor == Anchor::middle) return middle;
    return {middle.x, anchor == Anchor::bottom ? box.max.y : box.min.y};
}

namespace {

float cross(glm::vec2 a, glm::vec2 b) { return a.x * b.y - a.y * b.x; }

float distance_to(glm::vec2 a, glm::vec2 b, glm::vec2 point) {
    const glm::vec2 way = b - a;
    const float along = glm::dot(point - a, way) / std::max(glm::dot(way, way), 1e-12f);
    return glm::distance(point, a + glm::clamp(along, 0.0f, 1.0f) * way);
}

}  // namespace

float side_of(const Region& line, glm::vec2 point) {
    const glm::vec2 way = line.corners[1] - line.corners[0];
    return cross(way, point - line.corners[0]) / glm::length(way);
}

bool crosses(const Region& line, glm::vec2 from, glm::vec2 to) {
    const float before = side_of(line, from), after = side_of(line, to);
    if ((before < 0) == (after < 0)) return false;
    const glm::vec2 met = from + (to - from) * (before / (before - after));
    const glm::vec2 way = line.corners[1] - line.corners[0];
    const float along = glm::dot(met - line.corners[0], way) / glm::dot(way, way);
    return along >= 0 && along <= 1;
}

float depth_in(const Region& zone, glm::vec2 point) {
    bool inside = false;
    float nearest = std::numeric_limits<float>::max();
    for (size_t i = 0; i < zone.corners.size(); ++i) {
        const glm::vec2 a = zone.corners[i], b = zone.corners[(i + 1) % zone.corners.size()];
        nearest = std::min(nearest, distance_to(a, b, point));
        if ((a.y > point.y) == (b.y > point.y)) continue;
        if (point.x < a.x + (b.x - a.x) * (point.y - a.y) / (b.y - a.y)) inside = !inside;
    }
    return inside ? nearest : -nearest;
}

}  // namespace saccade
