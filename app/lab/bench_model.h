#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpu/engine.h"
#include "gpu/recorder/commands.h"
#include "models/knock_outs/trials.h"

namespace saccade {

// The load of one run.
struct BenchLoad {
    uint32_t batch = 1;  // pictures
    uint32_t beams = 1;  // of each caption
};

// A model to be timed.
class BenchModel {
public:
    virtual ~BenchModel() = default;

    virtual void prepare(Engine& engine, const BenchLoad& load) = 0;
    // Runs once and returns the ms it took, by the GPU's clock if it has one.
    virtual double run() = 0;
    // Runs once and returns the result: logits, or log-probabilities of words.
    virtual std::vector<float> result() = 0;
    // Runs once, one dispatch at a time, and returns the time of each; empty if it cannot be
    // measured.
    virtual std::vector<ScopeTime> dispatch_times() { return {}; }
    // Dispatches and barriers of a run.
    virtual Commands::Counts counts() const = 0;
    // For one picture.
    virtual double multiply_adds() const = 0;
    // Knock-outs on a picture: the first class, or the first query, is the target. Null: it has
    // none.
    virtual std::unique_ptr<Trials> trials(Engine&, const PictureView&, const TrialOptions&) {
        return nullptr;
    }
};

// A folder, or one of bench_models(). Classifiers and detectors run on preprocessed pictures,
// detectors on those of 640x480 frames. Captioners run from pixels to ids, by the host's clock: a
// 640x480 frame and sixteen words, greedy unless `beams` is greater than 1. Models that answer get
// a 512x512 frame and write thirty words.
std::unique_ptr<BenchModel> make_bench_model(Engine& engine, const std::string& model);

// The registry's published sizes, on synthetic weights. Some of `all` run only if they are named.
enum class WhichModels { usual, all };
std::vector<std::string> bench_models(WhichModels which = WhichModels::usual);

}  // namespace saccade
