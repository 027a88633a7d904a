#pragma once

#include <string>
#include <vector>

#include "app/commands/options.h"

namespace CLI {
class App;
}

namespace saccade {

struct DetectOptions {
    CommonOptions common;
    std::vector<std::string> images;
    std::string find;               // phrases for an open-vocabulary detector
    std::vector<std::string> like;  // or example pictures
    std::string detector;
    Implementation as = Implementation::by_weights;
    DetectionOptions wanted;
    std::string out;  // a picture, or a folder for several; empty: none
    bool json = false;
};

// `saccade detect`: the objects in each picture. Returns the exit code: 1 if a picture could not be
// read or written; the others are processed nevertheless.
int detect(const DetectOptions& options);

void add_detect_command(CLI::App& app, int& exit_code);

}  // namespace saccade
