#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/commands/options.h"
#include "models/captioner.h"

namespace CLI {
class App;
}

namespace saccade {

struct CaptionCommandOptions {
    CommonOptions common;
    std::vector<std::string> images;
    std::string captioner;
    CaptionOptions caption;
    std::string question;    // `ask`
    bool attention = false;  // write the attention maps of every word
    std::optional<uint32_t> layer, head;
    std::string out;  // a folder for these maps
    bool json = false;
};

// `saccade caption`: a sentence about each picture. Returns the exit code: 1 if a picture could not
// be read or written; the others are processed nevertheless.
int caption(const CaptionCommandOptions& options);

void add_caption_command(CLI::App& app, int& exit_code);
// `saccade ask IMAGE... QUESTION`: the same for a model that answers questions.
void add_ask_command(CLI::App& app, int& exit_code);

}  // namespace saccade
