#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/frame/source_name.h"
#include "app/track/regions.h"

namespace saccade {

// A source of a wall.
struct NamedSource {
    std::string name;  // empty: it is the only one
    SourceName source;
    Regions regions = {};  // its lines and zones
};

struct SourceList {
    std::vector<NamedSource> sources;
    std::vector<std::string> troubles;  // one line for each that was left out
};

// The sources that a person has named: SOURCE, NAME=SOURCE, or @FILE, a list with one NAME = SOURCE
// in each line. Empty lines, and those that begin with '#', are skipped. A path that is not
// absolute may be relative to the list; the lines and zones of a source are in NAME.zones.json
// beside it. What cannot be read, a name that is there twice, and what is too many is left out.
// Sources without a name are called after what they show. An Error if none is left, or a list
// cannot be opened.
SourceList sources_from(std::span<const std::string> named, size_t most);

}  // namespace saccade
