#pragma once

#include <string>
#include <vector>

#include "app/commands/options.h"
#include "app/explain/explainer.h"

namespace CLI {
class App;
}

namespace saccade {

struct ExplainOptions {
    CommonOptions common;
    std::vector<std::string> images;
    ModelNames models;
    DetectionOptions wanted = {.most = 20};
    TargetChoice target;
    TrialOptions trials;
    bool whole = false, map_only = false;
    std::string out;  // a folder for sheets; empty: none
    bool json = false;
};

// `saccade explain`: what the answer of a model needs in each picture. Returns the exit code: 1 if
// a picture could not be read or has no such target; the others are explained nevertheless.
int explain(const ExplainOptions& options);

void add_explain_command(CLI::App& app, int& exit_code);

}  // namespace saccade
