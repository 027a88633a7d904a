#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu/recorder/commands.h"
#include "models/attention/knock_outs.h"
#include "models/knock_outs/masked_input.h"

namespace saccade {

// A head of a model, counted from 0.
struct HeadAt {
    uint32_t layer = 0, head = 0;
};

// What is knocked out in one run of a model: cells of the picture, heads of attention.
struct KnockOut {
    std::vector<uint32_t> cells = {};
    std::vector<HeadAt> heads = {};
};

// How strong the target is in one run: in the units of its maps, and as a number from 0 to 1.
struct Reading {
    double value = 0;
    double score = 0;
};

struct TrialOptions {
    CellInstead instead = CellInstead::blank;
    KnockOuts::Instead head_instead = KnockOuts::Instead::zero;
    uint32_t most_cells = 16;      // along the picture's longer side
    uint32_t at_once = 0;          // runs in a batch; 0: as many as suit the device
    std::vector<HeadAt> off = {};  // heads that are switched off in every run
};

// Runs a model on one picture, again and again, each time without some cells or heads, and reads
// how strong a target still is: a class, a detection, a word.
class Trials {
public:
    virtual ~Trials();
    Trials(const Trials&) = delete;
    Trials& operator=(const Trials&) = delete;

    // The strength of the target without each of these.
    std::vector<Reading> run(std::span<const KnockOut> all);
    // Takes another picture of the same size.
    void show(const MaskedPicture& picture) { input_.show(scratch_, picture); }
    // Without any.
    Reading whole() { return run(std::vector<KnockOut>(1)).front(); }
    uint32_t runs() const { return runs_; }  // runs so far
    uint32_t at_once() const { return at_once_; }

    Size grid() const { return input_.grid(); }
    // Where the cells lie in the picture.
    MapGeometry geometry() const { return input_.geometry(); }
    // How many heads each layer has: encoder first, then decoder. Empty: none can be switched off.
    std::vector<uint32_t> heads();
    // What Reading::value is: "logit".
    virtual std::string unit() const = 0;

protected:
    Trials(Device& device, Arena& scratch, const PictureInput& input, Type type,
           const MaskedPicture& picture, const TrialOptions& options);

    // Records the model on a batch, and the downloads of its results. `parts` are the parts of the
    // model whose heads can be switched off, encoder and decoder; null: the heads stay on.
    struct Parts {
        KnockOuts *encoder, *decoder;
    };
    virtual void record(Commands& c, const Tensor& patches, const Parts& parts) = 0;
    // The results of the first `count` pictures of the batch.
    virtual std::vector<Reading> read(uint32_t count) = 0;

    Device& device() { return device_; }

private:
    struct Recording {
        Commands commands;
        uint32_t batch;
    };
    Recording& recording(bool with_heads);
    void prepare(std::span<const KnockOut> some, bool with_heads);

    Device& device_;
    Arena& scratch_;
    MaskedInput input_;
    uint32_t at_once_;
    std::vector<HeadAt> off_;
    KnockOuts encoder_, decoder_;
    std::unique_ptr<Recording> cells_, heads_;
    Recording* latest_ = nullptr;  // whose results the downloads hold
    uint32_t runs_ = 0;
};

// Knock-outs that are run a few at a time.
class TrialList {
public:
    explicit TrialList(std::vector<KnockOut> all = {}) : all_(std::move(all)) {}

    // Runs the next ones, at most so many. Returns how many there were.
    uint32_t run_some(Trials& trials, uint32_t most);
    bool done() const { return readings_.size() == all_.size(); }
    const std::vector<KnockOut>& all() const { return all_; }
    const std::vector<Reading>& readings() const { return readings_; }  // of those that have run

private:
    std::vector<KnockOut> all_;
    std::vector<Reading> readings_;
};

}  // namespace saccade
