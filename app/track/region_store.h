#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/frame/source_name.h"
#include "app/track/regions.h"

namespace saccade {

// Lines and zones that were drawn on a source, stored for the next time that it is opened: one file
// per source, in the format of --zones.
class RegionStore {
public:
    // The folder is made with the first file. Empty: nothing is stored.
    explicit RegionStore(std::filesystem::path folder = {}) : folder_(std::move(folder)) {}

    // The file of a source. All paths to the same file are the same source.
    std::filesystem::path file_of(const SourceName& source) const;
    // Empty if none are stored. An Error if the file cannot be read.
    Regions read(const SourceName& source) const;
    // Empty regions delete the file. An Error if it cannot be written.
    void write(const SourceName& source, const Regions& regions) const;

private:
    std::filesystem::path folder_;
};

// Keeps the regions that a user draws and the stored ones in step.
class KeptRegions {
public:
    // How long drawn regions are kept: in memory or in the store.
    enum class Lifetime { run, beyond };
    explicit KeptRegions(RegionStore store, Lifetime lifetime = Lifetime::beyond)
        : store_(std::move(store)), lifetime_(lifetime) {}

    // Call it with the current source and regions, as often as you like. If the source has changed,
    // its stored regions replace `regions`; else changed regions are stored. Regions of the first
    // call, from --zones, stay. Returns an error in one line; empty if there was none.
    std::string follow(const SourceName& source, Regions& regions);

private:
    Regions read(const SourceName& source) const;
    void write(const SourceName& source, const Regions& regions);

    RegionStore store_;
    Lifetime lifetime_;
    std::vector<std::pair<SourceName, Regions>> of_run_;  // that are not stored
    std::optional<SourceName> source_;
    Regions kept_;
};

}  // namespace saccade
