#pragma once

#include <charconv>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/hub/model_catalogue.h"
#include "app/pipeline/models_in_use.h"
#include "gpu/engine.h"
#include "models/detector.h"
#include "models/picture/preprocessor.h"

namespace CLI {
class App;
}  // namespace CLI

namespace saccade {

class Server;

// What every command that runs models takes.
struct CommonOptions {
    std::string device, precision = "auto";
    bool no_coopmat = false, no_texels = false, no_chains = false, no_tune = false;
    bool quiet = false, verbose = false;

    EngineOptions engine() const;
};

// Adds them to a command; `options` must live until the command line has been parsed and used.
void add_common_options(CLI::App& command, CommonOptions& options);

// The ids of classes by their names in the model's config.json; an Error where it has no such
// class.
std::set<uint32_t> ids_of(const std::vector<std::string>& names,
                          const std::vector<std::string>& labels);

// Which of a detector's findings are wanted.
struct DetectionOptions {
    std::optional<double> threshold = std::nullopt;
    std::vector<std::string> classes = {};  // names; empty: all
    uint32_t most = 100;
    std::optional<Size> size = std::nullopt;  // what pictures are resized to fit into

    // The threshold, or what suits one that finds phrases, or a detector with classes of its own
    // that is to be believed `sure_above` a score.
    double least_score(bool phrases, float sure_above) const;
    // An Error where a class is none of the detector's.
    DetectionFilter filter(const Detector& detector) const;
};
void add_detection_options(CLI::App& command, DetectionOptions& options);

// "640x480", as --size takes it; an Error otherwise.
Size parse_size(const std::string& text);
void add_size_option(CLI::App& command, std::optional<Size>& size, const std::string& help);

// What lies on both sides of `between`, where the text is nothing but that.
template <typename Number>
std::optional<std::pair<Number, Number>> two_numbers(std::string_view text, char between) {
    std::pair<Number, Number> result;
    const char* const end = text.data() + text.size();
    const auto [middle, bad_first] = std::from_chars(text.data(), end, result.first);
    if (bad_first != std::errc() || middle == end || *middle != between) return std::nullopt;
    const auto [rest, bad_second] = std::from_chars(middle + 1, end, result.second);
    if (bad_second != std::errc() || rest != end) return std::nullopt;
    return result;
}

// Adds the option that names the model of a task, for find_model: --classifier, --detector or
// --captioner. Left out, it is the bundled one for what is shown; in a copy of Saccade without
// that, it is required.
void add_model_option(CLI::App& command, Task task, std::string& model, Imagery imagery);
// Adds all three where the source decides what is shown. Left out, they stay empty, for
// ModelNames::or_default; in a copy of Saccade without bundled models they are "none".
void add_model_options(CLI::App& command, ModelNames& models);

// Adds --zones: a file of lines and zones that count tracks.
void add_zones_option(CLI::App& command, std::string& file);

// Adds --like.
void add_like_option(CLI::App& command, std::vector<std::string>& like);
// Adds --find, --like, --labels and --ask.
void add_words_options(CLI::App& command, ModelNames& models);

// --serve and what belongs to it.
struct ServeOptions {
    std::string address;  // [HOST:]PORT; empty: nobody is served
    std::string origin;
    bool read_only = false;
};
void add_serve_options(CLI::App& command, ServeOptions& options);
// Opens the door, and prints the address to open in a browser. Null if nobody is to be served.
std::unique_ptr<Server> open_server(const ServeOptions& options, const std::string& title);

// People read one line on stderr: "saccade: " and what there is to say.
void set_up_log(const CommonOptions& options);

}  // namespace saccade
