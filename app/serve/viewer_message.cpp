#include "app/serve/viewer_message.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/live/state/controls.h"
#include "gpu/core/error.h"

namespace saccade {

namespace {

using Json = nlohmann::json;

constexpr size_t longest_region_name = 120;  // bytes
constexpr size_t most_place_numbers = 24;
constexpr uint32_t last_head = 1023;  // and layer

void require(bool holds) {
    if (!holds) throw Error("no message of a viewer");
}

double number(const Json& value, double least, double most) {
    require(value.is_number());
    const double result = value.get<double>();
    require(std::isfinite(result) && result >= least && result <= most);
    return result;
}

uint32_t count(const Json& value, uint32_t least, uint32_t most) {
    require(value.is_number_integer());
    return static_cast<uint32_t>(number(value, least, most));
}

std::string name(const Json& value) {
    require(value.is_string());
    return value.get<std::string>();
}

RemoteLook read_look(const Json& json) {
    require(json.is_object());
    RemoteLook look;
    bool known = false;
    for (const auto& [key, value] : json.items()) {
        if (key == "mode") {
            for (const AttentionMode mode : attention_modes)
                if (value == name_of(mode)) {
                    look.attention.mode = mode;
                    known = true;
                }
        } else if (key == "layer") {
            look.attention.layer = count(value, 0, last_layer);
        } else if (key == "head") {
            look.attention.head = count(value, 0, last_layer);
        } else if (key == "ask") {
            require(value == name_of(MapModel::detector) || value == name_of(MapModel::classifier));
            if (value == name_of(MapModel::classifier)) look.model = MapModel::classifier;
        } else if (key == "point") {
            require(value.is_array() && value.size() == 2);
            look.target.point = glm::vec2(number(value[0], 0, 1e6), number(value[1], 0, 1e6));
        } else if (key == "query") {
            look.target.query = count(value, 0, 1u << 20);
        } else if (key == "phrase") {
            look.target.phrase.emplace().index = count(value, 0, 1u << 20);
        } else if (key == "track") {
            look.track = count(value, 0, UINT32_MAX);
        } else if (key == "word") {
            look.target.word = count(value, 0, 1u << 20);
        } else {
            require(false);
        }
    }
    require(known);
    if (look.target.phrase) look.target.phrase->model = look.model;
    return look;
}

// A place in a lecture: a few whole numbers, which only the page of the lecture understands.
std::vector<int32_t> read_place(const Json& json) {
    require(json.is_array() && !json.empty() && json.size() <= most_place_numbers);
    std::vector<int32_t> place;
    for (const Json& one : json) {
        require(one.is_number_integer());
        place.push_back(static_cast<int32_t>(number(one, -1e6, 1e6)));
    }
    return place;
}

// Lines and zones as in a file for --zones, with the size of the picture below them; null: none.
Regions read_drawn(const Json& json) {
    if (json.is_null()) return {};
    const Regions regions = regions_from(nlohmann::ordered_json(json), "a viewer's message");
    require(regions.size.has_value());
    for (const Region& region : regions.all) require(region.name.size() <= longest_region_name);
    return regions;
}

// [["detector", layer, head, whether it is off]]
std::map<HeadOff, bool> read_heads(const Json& json) {
    require(json.is_array());
    std::map<HeadOff, bool> heads;
    for (const Json& one : json) {
        require(one.is_array() && one.size() == 4 && one[3].is_boolean());
        const std::string model = name(one[0]);
        const auto known = std::ranges::find_if(
            models_with_heads, [&](HeadOff::Of of) { return name_of(of) == model; });
        require(known != std::end(models_with_heads));
        heads[{*known, count(one[1], 0, last_head), count(one[2], 0, last_head)}] =
            one[3].get<bool>();
    }
    return heads;
}

SharedWish read_wish(const Json& json) {
    require(json.is_object());
    SharedWish wish;
    for (const auto& [key, value] : json.items()) {
        if (key == "detector") {
            wish.detector = name(value);
        } else if (key == "classifier") {
            wish.classifier = name(value);
        } else if (key == "captioner") {
            wish.captioner = name(value);
        } else if (key == "source") {
            wish.source = name(value);
        } else if (key == "threshold") {
            wish.threshold = static_cast<float>(number(value, 0, 1));
        } else if (key == "detector_stride") {
            wish.detector_stride = count(value, 1, 1000);
        } else if (key == "classifier_stride") {
            wish.classifier_stride = count(value, 1, 1000);
        } else if (key == "seek") {
            require(value.is_number_unsigned());
            wish.seek = value.get<uint64_t>();
        } else if (key == "regions") {
            wish.regions = read_drawn(value);
        } else if (key == "find") {
            wish.find = name(value);
        } else if (key == "labels") {
            wish.labels = name(value);
        } else if (key == "question") {
            wish.question = name(value);
        } else if (key == "lecture") {
            require(value.is_boolean());
            wish.lecture = value.get<bool>();
        } else if (key == "least_scores") {
            require(value.is_object());
            for (const auto& [phrase, least] : value.items())
                wish.least_scores[phrase] = static_cast<float>(number(least, 0, 1));
        } else if (key == "heads") {
            wish.heads = read_heads(value);
        } else if (key == "heads_on") {
            require(value.is_boolean());
            wish.heads_on = value.get<bool>();
        } else {
            const Control* const shared = switch_named(key);
            require(shared && shared->page == PageScope::shared && value.is_boolean());
            wish.switches[key] = value.get<bool>();
        }
    }
    return wish;
}

}  // namespace

std::optional<ViewerMessage> read_viewer_message(std::string_view text) {
    if (text.size() > longest_message) return std::nullopt;
    try {
        const Json json = Json::parse(text);
        require(json.is_object());
        ViewerMessage message;
        for (const auto& [key, value] : json.items()) {
            if (key == "taken") {
                require(value.is_number_unsigned());
                message.taken = value.get<uint64_t>();
            } else if (key == "clock") {
                message.clock = number(value, 0, 1e15);
            } else if (key == "look") {
                message.looks = true;
                if (!value.is_null()) message.look = read_look(value);
            } else if (key == "teach") {
                message.key = name(value);
            } else if (key == "at") {
                message.at = read_place(value);
            } else if (key == "set") {
                message.wish = read_wish(value);
            } else {
                require(false);
            }
        }
        return message;
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

}  // namespace saccade
