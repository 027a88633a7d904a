#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "app/track/regions.h"

namespace saccade {

// Lines and zones that were drawn on a source, stored for the next time that it is opened: one file
// per source, in the format of --zones.
class RegionStore {
public:
    // The folder is made with the first file. Empty: nothing is stored.
    explicit RegionStore(std::filesystem::path folder = {}) : folder_(std::move(folder)) {}

    // The file of a source. All paths to the same file are the same source.
    std::filesystem::path file_of(const std::string& source) const;
    // Empty if none are stored. An Error if the file cannot be read.
    Regions read(const std::string& source) const;
    // Empty regions delete the file. An Error if it cannot be written.
    void write(const std::string& source, const Regions& regions) const;

private:
    std::filesystem::path folder_;
};

// Keeps the regions that a user draws and the stored ones in step.
class KeptRegions {
public:
    explicit KeptRegions(RegionStore store) : store_(std::move(store)) {}

    // Call it with the current source and regions, as often as you like. If the source has changed,
    // its stored regions replace `regions`; else changed regions are stored. Regions of the first
    // call, from --zones, stay. Returns an error in one line; empty if there was none.
    std::string follow(const std::string& source, Regions& regions);

private:
    RegionStore store_;
    std::optional<std::string> source_;
    Regions kept_;
};

}  // namespace saccade
