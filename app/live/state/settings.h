#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "app/live/state/wishes.h"

namespace saccade {

// The window's memory from one run to the next.
struct Settings {
    Wishes wishes;                        // how things are shown; not what is opened
    uint32_t width = 1280, height = 800;  // of the window, when it is not full screen
    std::vector<SourceName> recent;       // sources, the last first
    std::string layout;                   // the position of panels, as Dear ImGui writes it
};

// In the user's config folder; empty where there is none.
std::filesystem::path settings_file();
// Beside it: lines and zones that were drawn, see RegionStore.
std::filesystem::path drawn_regions_folder();

// Values that are missing, damaged or out of range have their defaults. Unknown names are ignored.
Settings read_settings(const std::filesystem::path& file);
// What was changed since a run has begun; the rest is as it was remembered before, since the
// command line is for one run.
Wishes to_remember(const Wishes& remembered, const Wishes& begun, Wishes now);
// False where it cannot be written. That is no failure: the next run starts with defaults.
bool write_settings(const std::filesystem::path& file, const Settings& settings);

}  // namespace saccade
