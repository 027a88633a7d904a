#include "app/serve/picture_message.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/draw/point_marks.h"
#include "app/page/page.h"

namespace saccade {

namespace {

using Json = nlohmann::json;

const char* name_of(const Looker& looker) {
    switch (looker.token) {
        case Looker::Token::word:
            return "word";
        case Looker::Token::query:
            return "query";
        case Looker::Token::phrase:
            return "phrase";
        case Looker::Token::patch:
            return "patch";
        case Looker::Token::class_token:
            return "class token";
        case Looker::Token::everywhere:
            return "everywhere";
        case Looker::Token::none:
            break;
    }
    return "none";
}

struct Levels {
    std::vector<uint8_t> levels;
    std::vector<float> largest;
};
Levels levels_of(const MapOnHost& map) {
    Levels result;
    const size_t each = map.count > 0 ? map.cells.size() / map.count : 0;
    for (size_t i = 0; i < map.count; ++i) {
        const auto first = map.cells.begin() + std::ptrdiff_t(i * each);
        const auto last = first + std::ptrdiff_t(each);
        const float largest = map.coloured ? 1 : each > 0 ? *std::max_element(first, last) : 0;
        result.largest.push_back(largest);
        std::transform(first, last, std::back_inserter(result.levels), [&](float value) {
            return static_cast<uint8_t>(
                largest > 0 && value > 0 ? std::lround(255 * value / largest) : 0);
        });
    }
    return result;
}

Json json_of(const MapOnHost& map, const Levels& levels) {
    const MapGeometry& g = map.geometry;
    Json json = {{"who", name_of(map.looker)},
                 {"layer", map.layer},
                 {"layers", map.layers},
                 {"heads", map.heads},
                 {"count", map.count},
                 {"largest", levels.largest},
                 {"grid", {{"width", g.grid.x}, {"height", g.grid.y}}},
                 {"geometry",
                  {{"left", g.corner.x},
                   {"top", g.corner.y},
                   {"cell_width", g.cell.x},
                   {"cell_height", g.cell.y}}}};
    if (map.looker.token == Looker::Token::patch) {
        const MapGeometry::Cell cell = g.cell_at(map.looker.point);
        json["patch"] = {{"row", cell.row}, {"column", cell.column}};
    }
    if (map.window)
        json["window"] = {map.window->min.x, map.window->min.y, map.window->max.x,
                          map.window->max.y};
    for (const SampledPoint& point : map.points)
        json["points"].push_back({point.place.x, point.place.y, point.share, point.level});
    if (!map.points.empty()) {
        json["points_on"] = levels_text(map.levels);
        for (uint32_t i = 0; i < map.levels.size(); ++i)
            json["point_colours"].push_back(css_colour(level_colour(i)));
    }
    if (map.limited) json["limited"] = true;
    if (map.similarity) json["kind"] = "similarity";
    if (map.coloured) json["kind"] = "colours";
    if (map.looker.token == Looker::Token::query) json["query"] = map.looker.query;
    return json;
}

}  // namespace

void append_picture_message(std::vector<unsigned char>& to, const ServedFrame& frame,
                            uint32_t viewer, double captured_ms, double sent_ms) {
    Levels levels;
    Json map;
    for (const MapOnHost& one : frame.maps)
        if (one.whose == viewer && one.count > 0) {
            levels = levels_of(one);
            map = json_of(one, levels);
        }
    const Json numbers = {{"number", frame.number},
                          {"captured", captured_ms},
                          {"sent", sent_ms},
                          {"jpeg", frame.jpeg.size()},
                          {"map", std::move(map)}};
    std::string json = numbers.dump(-1, ' ', false, Json::error_handler_t::replace);
    json.pop_back();
    json += ",\"line\":" + frame.line +
            ",\"found\":" + (frame.found.empty() ? "null" : frame.found) + "}";
    const auto length = static_cast<uint32_t>(json.size());
    for (int shift = 0; shift < 32; shift += 8)
        to.push_back(static_cast<unsigned char>(length >> shift));
    to.insert(to.end(), json.begin(), json.end());
    to.insert(to.end(), frame.jpeg.begin(), frame.jpeg.end());
    to.insert(to.end(), levels.levels.begin(), levels.levels.end());
}

}  // namespace saccade
