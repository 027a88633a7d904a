#include "app/serve/viewer_message.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "gpu/core/error.h"

namespace saccade {

namespace {

using Json = nlohmann::json;

constexpr size_t longest_region_name = 120;  // bytes

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
            require(value == name_of(AskedModel::detector) ||
                    value == name_of(AskedModel::classifier));
            if (value == name_of(AskedModel::classifier)) look.asked = AskedModel::classifier;
        } else if (key == "point") {
            require(value.is_array() && value.size() == 2);
            look.pointer = glm::vec2(number(value[0], 0, 1e6), number(value[1], 0, 1e6));
        } else if (key == "query") {
            look.query = count(value, 0, 1u << 20);
        } else if (key == "phrase") {
            look.phrase.emplace().number = count(value, 0, 1u << 20);
        } else if (key == "track") {
            look.track = count(value, 0, UINT32_MAX);
        } else if (key == "word") {
            look.word = count(value, 0, 1u << 20);
        } else {
            require(false);
        }
    }
    require(known);
    if (look.phrase) look.phrase->of = look.asked;
    return look;
}

// Lines and zones as --zones takes them, with the size of the picture that they were drawn on; null
// where there are none any more.
Regions read_drawn(const Json& json) {
    if (json.is_null()) return {};
    const Regions regions = regions_from(nlohmann::ordered_json(json), "a viewer's message");
    require(regions.size.has_value());
    for (const Region& region : regions.all) require(region.name.size() <= longest_region_name);
    return regions;
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
        } else if (key == "frozen") {
            require(value.is_boolean());
            wish.frozen = value.get<bool>();
        } else if (key == "seek") {
            require(value.is_number_unsigned());
            wish.seek = value.get<uint64_t>();
        } else if (key == "track") {
            require(value.is_boolean());
            wish.track = value.get<bool>();
        } else if (key == "regions") {
            wish.regions = read_drawn(value);
        } else if (key == "find") {
            wish.find = name(value);
        } else if (key == "labels") {
            wish.labels = name(value);
        } else if (key == "question") {
            wish.question = name(value);
        } else if (key == "least_scores") {
            require(value.is_object());
            for (const auto& [phrase, least] : value.items())
                wish.least_scores[phrase] = static_cast<float>(number(least, 0, 1));
        } else {
            require(false);
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
