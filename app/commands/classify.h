#pragma once

#include <string>
#include <vector>

#include "app/commands/options.h"

namespace CLI {
class App;
}

namespace saccade {

struct ClassifyOptions {
    CommonOptions common;
    std::vector<std::string> images;
    std::string classifier;
    Implementation as = Implementation::by_weights;
    std::string preprocess = "hub";
    std::string labels, pattern;  // of a zero-shot classifier: its classes, and their sentence
    uint32_t top = 5;
    bool json = false;
};

// `saccade classify`: the likeliest classes of each picture. Returns the exit code: 1 if a picture
// could not be read; the others are processed nevertheless.
int classify(const ClassifyOptions& options);

void add_classify_command(CLI::App& app, int& exit_code);

}  // namespace saccade
