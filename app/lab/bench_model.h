#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpu/engine.h"
#include "gpu/recorder/commands.h"

namespace saccade {

// What a model is to do at once.
struct BenchLoad {
    uint32_t batch = 1;  // pictures
    uint32_t beams = 1;  // of each caption
};

// A model as the benchmark sees it: something that can be run, and is so much work.
class BenchModel {
public:
    virtual ~BenchModel() = default;

    virtual void prepare(Engine& engine, const BenchLoad& load) = 0;
    // Runs once and says how many ms that took: of the GPU, where it can tell.
    virtual double run() = 0;
    // Runs once and gives what it computed: logits, or the logarithms of words' probabilities.
    virtual std::vector<float> result() = 0;
    // Runs once, one dispatch at a time, and says what each took; nothing where it cannot tell.
    virtual std::vector<ScopeTime> dispatch_times() { return {}; }
    // What a run is made of.
    virtual Commands::Counts counts() const = 0;
    // Of one picture.
    virtual double multiply_adds() const = 0;
};

// A folder, or one of bench_models(). Classifiers and detectors run on pictures that have been
// preprocessed already, detectors on those of frames of 640x480. Captioners run from pixels to ids:
// a frame of 640x480, and sixteen words, greedy unless beams are asked for; the clock is the host's.
// Models that answer are asked about one of 512x512, and say thirty words.
std::unique_ptr<BenchModel> make_bench_model(Engine& engine, const std::string& model);

// Architectures at their real size, on deterministic weights made in memory. Some are run only if
// they are asked for by name.
enum class WhichModels { usual, all };
std::vector<std::string> bench_models(WhichModels which = WhichModels::usual);

}  // namespace saccade
