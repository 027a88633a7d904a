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
    std::string find;  // of a detector that is told what to look for
    std::vector<std::string> like;  // or shown
    std::string detector;
    DetectionOptions wanted;
    std::string out;  // a picture, or a folder for several; empty: none
    bool json = false;
};

// `saccade detect`: the objects in each picture. Returns the exit code: 1 where a picture could not
// be read or written; the others are done all the same.
int detect(const DetectOptions& options);

void add_detect_command(CLI::App& app, int& exit_code);

}  // namespace saccade
