#include "app/serve/picture_message.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/draw/point_marks.h"
#include "app/draw/signed_map.h"
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
// Level 128 is no effect, 1 and 255 are the strongest.
Levels signed_levels_of(const MapOnHost& map) {
    const float most = largest_effect(map.cells);
    Levels result{{}, {most}};
    for (const float cell : map.cells)
        result.levels.push_back(
            static_cast<uint8_t>(128 + std::lround(most > 0 ? 127 * cell / most : 0)));
    return result;
}

Levels levels_of(const MapOnHost& map) {
    if (map.cause) return signed_levels_of(map);
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

Json rounded(const std::vector<float>& values) {
    Json all = Json::array();
    for (const float value : values) all.push_back(std::round(1e5 * double(value)) / 1e5);
    return all;
}

// What a target needs, besides the map.
Json json_of(const CauseSeen& cause) {
    Json json = {
        {"model", name_of(cause.model)}, {"kind", cause.kind},     {"label", cause.label},
        {"score", cause.score},          {"unit", cause.unit},     {"does", cause.does},
        {"trouble", cause.trouble},      {"noise", cause.noise},   {"knock_outs", cause.knock_outs},
        {"heads", cause.heads},          {"layers", cause.layers}, {"effects", Json::array()},
        {"methods", Json::array()}};
    for (const std::vector<float>& row : cause.effects) json["effects"].push_back(rounded(row));
    for (const CauseSeen::Method& method : cause.methods)
        json["methods"].push_back({{"name", method.name},
                                   {"words", method.words},
                                   {"deletion", method.deletion_area},
                                   {"insertion", method.insertion_area}});
    return json;
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
    if (map.cause) {
        json["kind"] = "cause";
        json["cause"] = json_of(*map.cause);
    }
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
