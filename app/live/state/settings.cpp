#include "app/live/state/settings.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <type_traits>

#include "app/live/state/controls.h"
#include "gpu/core/error.h"
#include "gpu/core/files.h"

namespace saccade {

namespace {

using nlohmann::json;

// All values that are kept, by name: reading, writing and comparing go through the same list.
// Switches come from their table.
template <typename Visit, typename... All>
void for_each_choice(Visit visit, All&... wishes) {
    for (const Control& control : controls())
        if (control.saved) visit(control.name, *value_of(control, wishes)...);
    visit("threshold", wishes.look.filter.threshold...);
    visit("detector_stride", wishes.detector_stride...);
    visit("classifier_stride", wishes.classifier_stride...);
    visit("knows_holding", wishes.window.knows_holding...);
    visit("maps", wishes.look.attention.mode...);
    visit("layer", wishes.look.attention.layer...);
    visit("head", wishes.look.attention.head...);
    visit("blend", wishes.look.attention.blend...);
    visit("mass", wishes.look.attention.mass...);
    visit("asked", wishes.look.model...);
    visit("present_mode", wishes.window.present_mode...);
}

// The same, and the window's own.
template <typename SettingsType, typename Visit>
void for_each_setting(SettingsType& settings, Visit visit) {
    for_each_choice(visit, settings.wishes);
    visit("width", settings.width);
    visit("height", settings.height);
    visit("recent", settings.recent);
    visit("layout", settings.layout);
}

// Reads a value of the right type; any other leaves the default.
void take(const json& from, const char* name, bool& to) {
    if (from.contains(name) && from[name].is_boolean()) to = from[name].get<bool>();
}
void take(const json& from, const char* name, float& to) {
    if (from.contains(name) && from[name].is_number()) to = from[name].get<float>();
}
void take(const json& from, const char* name, std::optional<float>& to) {
    if (from.contains(name) && from[name].is_number())
        to = std::clamp(from[name].get<float>(), 0.0f, 1.0f);
}
void take(const json& from, const char* name, uint32_t& to) {
    if (from.contains(name) && from[name].is_number_unsigned())
        to = static_cast<uint32_t>(std::min<uint64_t>(from[name].get<uint64_t>(), 1u << 20));
}
void take(const json& from, const char* name, std::string& to) {
    if (from.contains(name) && from[name].is_string()) to = from[name].get<std::string>();
}

void take(const json& from, const char* name, std::vector<SourceName>& to) {
    if (!from.contains(name) || !from[name].is_array()) return;
    for (const json& one : from[name])
        if (one.is_string()) to.emplace_back(one.get<std::string>());
}

template <typename Enum, size_t n>
void take_name(const json& from, const char* name, const Enum (&values)[n], Enum& to) {
    std::string text;
    take(from, name, text);
    for (Enum value : values)
        if (text == name_of(value)) to = value;
}
void take(const json& from, const char* name, AttentionMode& to) {
    take_name(from, name, attention_modes, to);
}
void take(const json& from, const char* name, MapModel& to) {
    constexpr MapModel models[] = {MapModel::detector, MapModel::classifier};
    take_name(from, name, models, to);
}
void take(const json& from, const char* name, PresentMode& to) {
    constexpr PresentMode modes[] = {PresentMode::fifo, PresentMode::mailbox,
                                     PresentMode::immediate};
    take_name(from, name, modes, to);
}

// Enumerations are written by their names; an optional value only if it is there.
template <typename Value>
void put(nlohmann::ordered_json& to, const char* name, const Value& value) {
    if constexpr (std::is_enum_v<Value>)
        to[name] = std::string(name_of(value));
    else
        to[name] = value;
}
void put(nlohmann::ordered_json& to, const char* name, const std::optional<float>& value) {
    if (value) to[name] = *value;
}
void put(nlohmann::ordered_json& to, const char* name, const std::vector<SourceName>& values) {
    to[name] = nlohmann::json::array();
    for (const SourceName& value : values) to[name].push_back(value.unmasked());
}

}  // namespace

std::filesystem::path settings_file() {
    const char* config = std::getenv("XDG_CONFIG_HOME");
    const char* home = std::getenv("HOME");
    std::filesystem::path folder;
    if (config && *config == '/')
        folder = config;
    else if (home && *home == '/')
        folder = std::filesystem::path(home) / ".config";
    else
        return {};
    return folder / "saccade" / "window.json";
}

std::filesystem::path drawn_regions_folder() {
    const std::filesystem::path settings = settings_file();
    return settings.empty() ? settings : settings.parent_path() / "zones";
}

Settings read_settings(const std::filesystem::path& file) {
    Settings settings;
    std::ifstream in(file);
    const json from = json::parse(in, nullptr, false);
    if (!from.is_object()) return settings;
    for_each_setting(settings, [&](const char* name, auto& to) { take(from, name, to); });
    AttentionState& attention = settings.wishes.look.attention;
    for (float* part : {&attention.blend, &attention.mass}) *part = std::clamp(*part, 0.0f, 1.0f);
    settings.width = std::clamp(settings.width, 320u, 16384u);
    settings.height = std::clamp(settings.height, 240u, 16384u);
    return settings;
}

Wishes to_remember(const Wishes& remembered, const Wishes& begun, Wishes now) {
    for_each_choice(
        [](const char*, const auto& before, const auto& first, auto& last) {
            if (last == first) last = before;
        },
        remembered, begun, now);
    return now;
}

bool write_settings(const std::filesystem::path& file, const Settings& settings) {
    if (file.empty()) return false;
    nlohmann::ordered_json to;
    for_each_setting(settings, [&](const char* name, const auto& from) { put(to, name, from); });
    try {
        make_folder(file.parent_path());
        NewFile out(file, 0600);  // recent sources may hold passwords
        out.write(to.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
        out.finish();
        return true;
    } catch (const Error&) {
        return false;
    }
}

}  // namespace saccade
