#include "app/live/settings.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <type_traits>

#include "gpu/core/error.h"
#include "gpu/core/files.h"

namespace saccade {

namespace {

using nlohmann::json;

// How things are shown, by name: reading, writing and comparing go through the same list.
template <typename Visit, typename... States>
void for_each_choice(Visit visit, States&... s) {
    visit("boxes", s.boxes...);
    visit("caption", s.caption...);
    visit("classes", s.classes...);
    visit("truth", s.truth...);
    visit("track", s.track...);
    visit("threshold", s.threshold...);
    visit("detector_stride", s.detector_stride...);
    visit("classifier_stride", s.classifier_stride...);
    visit("overview", s.overview...);
    visit("knows_holding", s.knows_holding...);
    visit("maps", s.attention.mode...);
    visit("layer", s.attention.layer...);
    visit("head", s.attention.head...);
    visit("blend", s.attention.blend...);
    visit("mass", s.attention.mass...);
    visit("fixed_scale", s.attention.fixed_scale...);
    visit("asked", s.asked...);
    visit("panels", s.panels...);
    visit("full_screen", s.full_screen...);
    visit("present_mode", s.present_mode...);
}

// The same, and the window's own.
template <typename SettingsType, typename Visit>
void for_each_setting(SettingsType& settings, Visit visit) {
    for_each_choice(visit, settings.state);
    visit("width", settings.width);
    visit("height", settings.height);
    visit("recent", settings.recent);
    visit("layout", settings.layout);
}

// Takes what has the right type, and leaves the rest.
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

void take(const json& from, const char* name, std::vector<std::string>& to) {
    if (!from.contains(name) || !from[name].is_array()) return;
    for (const json& one : from[name])
        if (one.is_string()) to.push_back(one.get<std::string>());
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
void take(const json& from, const char* name, AskedModel& to) {
    constexpr AskedModel models[] = {AskedModel::detector, AskedModel::classifier};
    take_name(from, name, models, to);
}
void take(const json& from, const char* name, PresentMode& to) {
    constexpr PresentMode modes[] = {PresentMode::fifo, PresentMode::mailbox,
                                     PresentMode::immediate};
    take_name(from, name, modes, to);
}

// Choices are written by their names; what nobody has chosen is not.
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
    AttentionState& attention = settings.state.attention;
    for (float* part : {&attention.blend, &attention.mass})
        *part = std::clamp(*part, 0.0f, 1.0f);
    settings.width = std::clamp(settings.width, 320u, 16384u);
    settings.height = std::clamp(settings.height, 240u, 16384u);
    return settings;
}

LiveState to_remember(const LiveState& remembered, const LiveState& begun, LiveState now) {
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
        NewFile out(file);
        out.write(to.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
        out.finish();
        return true;
    } catch (const Error&) {
        return false;
    }
}

}  // namespace saccade
