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
    std::string question;  // `ask`
    bool attention = false;  // of every word
    std::optional<uint32_t> layer, head;
    std::string out;  // a folder for what the words looked at
    bool json = false;
};

// `saccade caption`: a sentence about each picture. Returns the exit code: 1 where a picture could
// not be read or written; the others are done all the same.
int caption(const CaptionCommandOptions& options);

void add_caption_command(CLI::App& app, int& exit_code);
// `saccade ask IMAGE... QUESTION`: the same of a model that answers.
void add_ask_command(CLI::App& app, int& exit_code);

}  // namespace saccade
