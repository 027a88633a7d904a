#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/frame/source.h"

namespace saccade {

// One source of a batch: a video file or the synthetic camera by its name, or pictures.
struct BatchSource {
    SourceName name;
    std::vector<std::filesystem::path> pictures = {};

    std::unique_ptr<Source> open(const SourceOptions& options) const;
    // What open() would tell, at less cost.
    SourceTraits traits(const SourceOptions& options) const;
};

// Expands the arguments of the command line into sources. @FILE is a list with one source per line.
// Each video of a folder or glob is a source; all its pictures together are one source, and so are
// pictures that are named one after the other. Any other text becomes a source as it is, and fails
// when it is opened.
std::vector<BatchSource> find_sources(const std::vector<std::string>& words);

// A unique name for the outputs of each source, after its file or folder.
std::vector<std::string> output_names(const std::vector<BatchSource>& sources);

}  // namespace saccade
