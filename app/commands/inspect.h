#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/options.h"
#include "app/inspect/sheets.h"
#include "app/pipeline/models_in_use.h"

namespace CLI {
class App;
}

namespace saccade {

struct InspectOptions {
    CommonOptions common;
    std::string image;              // a picture file, or with a frame number a source of frames
    std::optional<uint64_t> frame;  // of a video or of synth:
    ModelNames models;
    DetectionOptions wanted = {.most = 20};
    std::vector<glm::vec2> points;
    std::optional<uint32_t> layer, head;  // for sheets with one map each
    std::vector<uint32_t> layers;         // for the page and the raw maps; empty: all
    bool raw = false;
    bool cause = false;  // what every detection, class and word needs, too
    std::string out;     // a folder
};

// `saccade inspect`: writes attention sheets, a page to explore them in, and raw maps with --raw.
// Returns the exit code.
int inspect(const InspectOptions& options);

void add_inspect_command(CLI::App& app, int& exit_code);

}  // namespace saccade
