#include "app/live/settings.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "gpu/core/error.h"
#include "gpu/core/files.h"

namespace saccade {

namespace {

using nlohmann::json;

// The members that are remembered, by name: reading and writing go through the same list.
template <typename SettingsType, typename Visit>
void for_each_setting(SettingsType& s, Visit visit) {
    visit("boxes", s.state.boxes);
    visit("caption", s.state.caption);
    visit("classes", s.state.classes);
    visit("truth", s.state.truth);
    visit("track", s.state.track);
    visit("threshold", s.state.threshold);
    visit("detector_stride", s.state.detector_stride);
    visit("classifier_stride", s.state.classifier_stride);
    visit("overview", s.state.overview);
    visit("knows_holding", s.state.knows_holding);
    visit("layer", s.state.attention.layer);
    visit("head", s.state.attention.head);
    visit("blend", s.state.attention.blend);
    visit("mass", s.state.attention.mass);
    visit("fixed_scale", s.state.attention.fixed_scale);
    visit("panels", s.state.panels);
    visit("full_screen", s.state.full_screen);
    visit("width", s.width);
    visit("height", s.height);
    visit("recent", s.recent);
    visit("layout", s.layout);
}

// Takes what has the right type, and leaves the rest.
void take(const json& from, const char* name, bool& to) {
    if (from.contains(name) && from[name].is_boolean()) to = from[name].get<bool>();
}
void take(const json& from, const char* name, float& to) {
    if (from.contains(name) && from[name].is_number()) to = from[name].get<float>();
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

constexpr AskedModel asked_models[] = {AskedModel::detector, AskedModel::classifier};
constexpr PresentMode present_modes[] = {PresentMode::fifo, PresentMode::mailbox,
                                         PresentMode::immediate};

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
    take_name(from, "maps", attention_modes, settings.state.attention.mode);
    take_name(from, "asked", asked_models, settings.state.asked);
    take_name(from, "present_mode", present_modes, settings.state.present_mode);
    AttentionState& attention = settings.state.attention;
    for (float* part : {&settings.state.threshold, &attention.blend, &attention.mass})
        *part = std::clamp(*part, 0.0f, 1.0f);
    settings.width = std::clamp(settings.width, 320u, 16384u);
    settings.height = std::clamp(settings.height, 240u, 16384u);
    return settings;
}

bool write_settings(const std::filesystem::path& file, const Settings& settings) {
    if (file.empty()) return false;
    nlohmann::ordered_json to;
    for_each_setting(settings, [&](const char* name, const auto& from) { to[name] = from; });
    to["maps"] = name_of(settings.state.attention.mode);
    to["asked"] = name_of(settings.state.asked);
    to["present_mode"] = name_of(settings.state.present_mode);

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
