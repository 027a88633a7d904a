#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/frame/source_name.h"

namespace saccade {

// The sources in files and folders that are dropped onto the window: all pictures together are one
// source, and so are those of a folder; each video is a source.
std::vector<SourceName> sources_in(std::span<const std::string> dropped);

}  // namespace saccade
