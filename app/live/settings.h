#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "app/live/state.h"

namespace saccade {

// What the window remembers from one run to the next.
struct Settings {
    LiveState state;                      // how things are shown; not what is opened
    uint32_t width = 1280, height = 800;  // of the window, when it is not full screen
    std::vector<std::string> recent;      // sources, the last first
    std::string layout;                   // where the panels are, in Dear ImGui's own words
};

// In the user's config folder; empty where there is none.
std::filesystem::path settings_file();
// Beside it: lines and zones that were drawn, see RegionStore.
std::filesystem::path drawn_regions_folder();

// What is missing, damaged or out of range is as it is without a file.
Settings read_settings(const std::filesystem::path& file);
// What was changed since a run has begun; the rest is as it was remembered before, since the
// command line is for one run.
LiveState to_remember(const LiveState& remembered, const LiveState& begun, LiveState now);
// False where it cannot be written, which is no reason to fail: the next run merely starts afresh.
bool write_settings(const std::filesystem::path& file, const Settings& settings);

}  // namespace saccade
