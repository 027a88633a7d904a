#include "models/files/json.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "gpu/core/error.h"

namespace saccade {
namespace {

constexpr int max_depth = 64;
constexpr std::uintmax_t max_file_bytes = 64u << 20;

// "line 3, column 14"
std::string position(std::string_view text, size_t byte) {
    std::string_view before = text.substr(0, byte == 0 ? 0 : byte - 1);
    auto line = std::count(before.begin(), before.end(), '\n') + 1;
    size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
    return "line " + std::to_string(line) + ", column " +
           std::to_string(before.size() - line_start + 1);
}

[[noreturn]] void refuse_at(std::string_view text, size_t byte, const std::string& where) {
    throw Error(where + ": is not valid JSON (" + position(text, byte) +
                "); the file is damaged or not what its name says");
}

// The value for an error message; arrays and objects are only described.
std::string shown(const Json& value) {
    if (value.is_object()) return "an object";
    if (value.is_array() && value.size() > 4) return "a list of " + std::to_string(value.size());
    if (value.is_string()) return in_quotes(value.get_ref<const std::string&>());
    if (value.is_array()) return "a list";
    return value.dump();
}

// nullopt unless the value is an integer that fits.
std::optional<uint32_t> as_whole(const Json& value) {
    if (!value.is_number_integer() || value < 0 || value > UINT32_MAX) return std::nullopt;
    const auto number = value.get<uint64_t>();
    return static_cast<uint32_t>(number);
}

bool within(WholeRange range, uint32_t value) {
    return value >= range.least && value <= range.most;
}

std::string must_be(WholeRange range) {
    return "; it must be a whole number from " + std::to_string(range.least) + " to " +
           std::to_string(range.most);
}

}  // namespace

std::string in_quotes(std::string_view text) {
    constexpr size_t longest = 160;
    std::string out = "'";
    for (size_t i = 0; i < text.size(); ++i) {
        auto byte = static_cast<unsigned char>(text[i]);
        bool starts_character = (byte & 0xC0) != 0x80;  // never cut inside a UTF-8 sequence
        if (i >= longest && starts_character) return out + "...'";
        if (byte < 0x20 || byte == 0x7F) {
            char escape[8];
            std::snprintf(escape, sizeof escape, "\\x%02x", byte);
            out += escape;
        } else {
            out += text[i];
        }
    }
    return out + "'";
}

Json parse_json(std::string_view text, const std::string& where) {
    std::vector<std::set<std::string>> open_objects;  // the keys seen so far, innermost last
    auto watch = [&](int depth, Json::parse_event_t event, Json& parsed) {
        using Event = Json::parse_event_t;
        if (depth > max_depth) {
            throw Error(where + ": JSON nested deeper than " + std::to_string(max_depth) +
                        " levels; the file is damaged");
        }
        if (event == Event::object_start) {
            open_objects.emplace_back();
        } else if (event == Event::object_end) {
            open_objects.pop_back();
        } else if (event == Event::key) {
            const auto& key = parsed.get_ref<const std::string&>();
            if (!open_objects.back().insert(key).second) {
                throw Error(where + ": has " + in_quotes(key) + " twice; the file is damaged");
            }
        }
        return true;
    };
    // The parser takes a zero byte for the end of the text.
    if (size_t zero = text.find('\0'); zero != text.npos) refuse_at(text, zero + 1, where);
    try {
        return Json::parse(text.begin(), text.end(), watch);
    } catch (const Json::parse_error& e) {
        refuse_at(text, e.byte, where);
    } catch (const Json::exception&) {  // a number too large for any type
        throw Error(where + ": has a number out of range; the file is damaged");
    }
}

Json read_json(const std::filesystem::path& path) {
    std::error_code error;
    auto status = std::filesystem::status(path, error);
    if (!std::filesystem::exists(status)) {
        throw Error(path.string() + ": no such file; is " + path.parent_path().string() +
                    " a Hugging Face model folder?");
    }
    if (!std::filesystem::is_regular_file(status)) throw Error(path.string() + ": is not a file");
    auto size = std::filesystem::file_size(path, error);
    if (!error && size > max_file_bytes) {
        throw Error(path.string() + ": has " + std::to_string(size) +
                    " bytes, too many for a JSON file of a model");
    }
    std::ifstream file(path, std::ios::binary);
    std::string text(error ? 0 : static_cast<size_t>(size), '\0');
    if (error || !file.read(text.data(), static_cast<std::streamsize>(text.size()))) {
        throw Error(path.string() + ": cannot be read; check its permissions");
    }
    return parse_json(text, path.string());
}

JsonFields::JsonFields(const Json& object, std::string where)
    : object_(&object), where_(std::move(where)) {
    if (!object.is_object()) throw Error(where_ + ": holds " + shown(object) + ", not an object");
}

const Json* JsonFields::find(std::string_view key) const {
    auto found = object_->find(key);
    return found == object_->end() || found->is_null() ? nullptr : &*found;
}

void JsonFields::refuse(std::string_view key, const std::string& problem) const {
    throw Error(where_ + ": " + std::string(key) + " " + problem);
}

const Json& JsonFields::required(std::string_view key) const {
    const Json* value = find(key);
    if (!value) refuse(key, "is missing");
    return *value;
}

uint32_t JsonFields::whole(std::string_view key, WholeRange range,
                           std::optional<uint32_t> fallback) const {
    if (fallback && !has(key)) return *fallback;
    const Json& value = required(key);
    auto number = as_whole(value);
    if (!number || !within(range, *number)) refuse(key, "is " + shown(value) + must_be(range));
    return *number;
}

double JsonFields::number(std::string_view key, double least, double most,
                          std::optional<double> fallback) const {
    if (fallback && !has(key)) return *fallback;
    const Json& value = required(key);
    if (!value.is_number() || !(value.get<double>() >= least && value.get<double>() <= most)) {
        refuse(key, "is " + shown(value) + "; it must be a number from " + Json(least).dump() +
                        " to " + Json(most).dump());
    }
    return value.get<double>();
}

bool JsonFields::flag(std::string_view key, std::optional<bool> fallback) const {
    if (fallback && !has(key)) return *fallback;
    const Json& value = required(key);
    if (!value.is_boolean()) refuse(key, "is " + shown(value) + "; it must be true or false");
    return value.get<bool>();
}

std::string JsonFields::text(std::string_view key, std::optional<std::string> fallback) const {
    if (fallback && !has(key)) return *fallback;
    const Json& value = required(key);
    if (!value.is_string()) refuse(key, "is " + shown(value) + "; it must be a string");
    return value.get<std::string>();
}

HeightWidth JsonFields::extent(std::string_view key, WholeRange range,
                               std::optional<HeightWidth> fallback) const {
    if (fallback && !has(key)) return *fallback;
    const Json& value = required(key);
    bool pair = value.is_array() && value.size() == 2;
    auto height = as_whole(pair ? value[0] : value);
    auto width = as_whole(pair ? value[1] : value);
    if (!height || !width || !within(range, *height) || !within(range, *width)) {
        refuse(key, "is " + shown(value) + must_be(range) + ", or two such, height and width");
    }
    return {*height, *width};
}

std::vector<uint32_t> JsonFields::wholes(std::string_view key, WholeRange range,
                                         std::optional<std::vector<uint32_t>> fallback) const {
    if (fallback && !has(key)) return *fallback;
    const Json& list = required(key);
    std::vector<uint32_t> result;
    if (list.is_array())
        for (const Json& item : list)
            if (const auto number = as_whole(item); number && within(range, *number))
                result.push_back(*number);
    if (!list.is_array() || result.empty() || result.size() != list.size())
        refuse(key, "is not a list of whole numbers from " + std::to_string(range.least) + " to " +
                        std::to_string(range.most));
    return result;
}

std::vector<std::string> JsonFields::texts(std::string_view key) const {
    const Json* value = find(key);
    if (!value) return {};
    bool strings = value->is_array() && std::all_of(value->begin(), value->end(),
                                                    [](const Json& v) { return v.is_string(); });
    if (!strings) refuse(key, "is " + shown(*value) + "; it must be a list of strings");
    return value->get<std::vector<std::string>>();
}

JsonFields JsonFields::object(std::string_view key) const {
    const Json& value = required(key);
    if (!value.is_object()) refuse(key, "is " + shown(value) + "; it must be an object");
    return JsonFields(value, where_ + ": " + std::string(key));
}

JsonFields JsonFields::object_if_any(std::string_view key) const {
    static const Json nothing = Json::object();
    return has(key) ? object(key) : JsonFields(nothing, where_ + ": " + std::string(key));
}

}  // namespace saccade
