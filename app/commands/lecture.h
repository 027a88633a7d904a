#pragma once

#include <string>
#include <vector>

#include "app/commands/options.h"

namespace CLI {
class App;
}

namespace saccade {

struct LectureOptions {
    CommonOptions common;
    std::vector<std::string> images;
    ModelNames models;
    std::string recurrent;  // a second captioner; empty: the bundled one, beside the bundled one
    DetectionOptions wanted = {.most = 20};
    std::string texts;  // a translation of the page's texts
    std::string out;    // the folder for the pages
};

// `saccade lecture`: writes a page for each picture that explains the models on it. Returns the
// exit code: 1 if a picture could not be read; the others have pages nevertheless.
int lecture(const LectureOptions& options);

void add_lecture_command(CLI::App& app, int& exit_code);

}  // namespace saccade
