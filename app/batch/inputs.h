#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/frame/source.h"

namespace saccade {

// One source of a batch: a video file or the synthetic camera by its text, or pictures.
struct BatchSource {
    std::string text;
    std::vector<std::filesystem::path> pictures = {};

    std::unique_ptr<Source> open(const SourceOptions& options) const;
};

// What people name, as single sources: @FILE is a list of them, one a line; folders and globs are
// their videos and, as one source, their pictures; so are pictures that are named one after the
// other. What is nothing of all this stays as it is, and fails when it is opened.
std::vector<BatchSource> find_sources(const std::vector<std::string>& words);

// A name for the outputs of each, after its file or folder; no two have the same.
std::vector<std::string> output_names(const std::vector<BatchSource>& sources);

}  // namespace saccade
