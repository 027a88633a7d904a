#pragma once

#include <charconv>
#include <functional>
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

// Options of every command that runs models.
struct CommonOptions {
    std::string device, precision = "auto";
    bool no_coopmat = false, no_texels = false, no_chains = false, no_tune = false;
    bool require_gpu = false;
    bool quiet = false, verbose = false;

    EngineOptions engine() const;
};

// A check of an option's number. CLI::Range takes "nan", which is in no range.
std::function<std::string(const std::string&)> within(double least, double most);

// Adds them to a command; `options` must outlive the parsing of the command line.
void add_common_options(CLI::App& command, CommonOptions& options);

// The ids of classes by their names in the model's config.json; an Error if it has no such class.
std::set<uint32_t> ids_of(const std::vector<std::string>& names,
                          const std::vector<std::string>& labels);

// Which detections are kept.
struct DetectionOptions {
    std::optional<double> threshold = std::nullopt;
    std::vector<std::string> classes = {};  // names; empty: all
    uint32_t most = 100;
    std::optional<Size> size = std::nullopt;  // pictures are resized to fit into it
    bool merged = false;  // results hold one detection for each thing, as pictures do

    // The threshold; if none is given, the default of open-vocabulary detectors (`phrases`), or
    // `sure_above`, that of a detector with fixed classes.
    double least_score(bool phrases, float sure_above) const;
    // An Error if the detector does not have one of the classes.
    DetectionFilter filter(const Detector& detector) const;
};
void add_detection_options(CLI::App& command, DetectionOptions& options);

// Parses "640x480", the form of --size; an Error otherwise.
Size parse_size(const std::string& text);
void add_size_option(CLI::App& command, std::optional<Size>& size, const std::string& help);

// Parses two numbers with `between` in the middle; nothing if the text is anything else.
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
// --captioner. Its default is the bundled model for the imagery; in a copy of Saccade without that
// model, the option is required.
void add_model_option(CLI::App& command, Task task, std::string& model, Imagery imagery);
// Adds all three, and --as, for commands whose source decides on the imagery. Without the option a
// name stays empty, for ModelNames::or_default; in a copy of Saccade without bundled models it is
// "none".
void add_model_options(CLI::App& command, ModelNames& models);

// Adds --as: whose code computes the models.
void add_as_option(CLI::App& command, Implementation& as);

// Adds --zones: a file of lines and zones that count tracks.
void add_zones_option(CLI::App& command, std::string& file);

// Adds --like.
void add_like_option(CLI::App& command, std::vector<std::string>& like);
// Adds --find, --like, --labels and --ask.
void add_words_options(CLI::App& command, ModelNames& models);

// --serve and what belongs to it.
struct ServeOptions {
    std::string address;  // [HOST:]PORT; empty: no server
    std::string origin;
    bool read_only = false;
    bool classroom = false;  // lectures are followed together
    double stale_seconds = 10;
};
void add_serve_options(CLI::App& command, ServeOptions& options);
// Starts the server and prints the address to open in a browser. Null without --serve.
std::unique_ptr<Server> open_server(const ServeOptions& options, const std::string& title,
                                    const std::vector<std::string>& sources = {});

// Makes log messages single lines on stderr that begin with "saccade: ".
void set_up_log(const CommonOptions& options);

}  // namespace saccade
