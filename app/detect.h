#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/options.h"
#include "models/preprocessor.h"

namespace CLI {
class App;
}

namespace saccade {

struct DetectOptions {
    CommonOptions common;
    std::vector<std::string> images;
    std::string detector;
    double threshold = 0.5;
    std::vector<std::string> classes;  // names; empty: all
    uint32_t most = 100;
    std::optional<ImageSize> size;
    std::string out;  // a picture, or a folder for several; empty: none
    bool json = false;
};

// The ids of classes by their names in the model's config.json; an Error where it has no such
// class.
std::set<uint32_t> ids_of(const std::vector<std::string>& names,
                          const std::vector<std::string>& labels);

// "640x480", as --size takes it; an Error otherwise.
ImageSize parse_size(const std::string& text);

// `saccade detect`: the objects in each picture. Returns the exit code: 1 where a picture could not
// be read or written; the others are done all the same.
int detect(const DetectOptions& options);

void add_detect_command(CLI::App& app, int& exit_code);

}  // namespace saccade
