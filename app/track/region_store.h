#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "app/track/regions.h"

namespace saccade {

// Lines and zones that were drawn on a source, kept for the next time that it is opened: a file for
// each source, as --zones takes it.
class RegionStore {
public:
    // It is made when something is to be kept. Empty: nothing is.
    explicit RegionStore(std::filesystem::path folder = {}) : folder_(std::move(folder)) {}

    // Where those of a source are kept. A file is the same source however its path is written.
    std::filesystem::path file_of(const std::string& source) const;
    // None where none were kept. An Error where they cannot be read.
    Regions read(const std::string& source) const;
    // None at all: the file goes. An Error where they cannot be written.
    void write(const std::string& source, const Regions& regions) const;

private:
    std::filesystem::path folder_;
};

// Brings what somebody draws and what is kept together.
class KeptRegions {
public:
    explicit KeptRegions(RegionStore store) : store_(std::move(store)) {}

    // To be called with what is wanted now, as often as you like. If the source is another one than
    // the last time, what is kept of it takes the place of `regions`; if not, what has changed is
    // kept. Those that are there the first time, from a file, stay. Returns what went wrong, in one
    // line; mostly nothing.
    std::string follow(const std::string& source, Regions& regions);

private:
    RegionStore store_;
    std::optional<std::string> source_;
    Regions kept_;
};

}  // namespace saccade
