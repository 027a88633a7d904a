#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpu/recorder/commands.h"
#include "models/attention/knock_outs.h"
#include "models/attention/token_choice.h"
#include "models/knock_outs/masked_input.h"
#include "models/knock_outs/token_cells.h"

namespace saccade {

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

    Size grid() const { return geometry_.grid; }
    // Where the cells lie in the picture.
    const MapGeometry& geometry() const { return geometry_; }
    // How many heads each layer has: encoder first, then decoder, of a text decoder self-attention
    // and cross-attention of each layer. Empty: none can be switched off.
    std::vector<uint32_t> heads();
    // What these layers are called: "encoder 0", "decoder 1".
    std::vector<std::string> layers();
    // What Reading::value is: "logit".
    virtual std::string unit() const = 0;

protected:
    // `tokens`: those that cells are made of where they are left out or hidden.
    Trials(Device& device, Arena& scratch, const PictureInput& input, Type type,
           const TokenLayout& tokens, const MaskedPicture& picture, const TrialOptions& options);

    // What can be done to a model's tokens.
    struct TokensOf {
        bool left_out = false, hidden = false;
    };
    // An Error if cells cannot be knocked out of this model so.
    static void require_tokens(CellInstead instead, const TokensOf& can);

    // Records the model on a batch, and the downloads of its results. `parts` are the parts of the
    // model whose heads can be switched off, encoder and decoder; null: the heads stay on. And the
    // tokens that are left out of the encoder, or hidden from the decoder; null: none.
    struct Parts {
        KnockOuts *encoder = nullptr, *decoder = nullptr;
        TokenChoice *left_out = nullptr, *hidden = nullptr;
    };
    // Whether heads of this layer of the decoder look at the picture.
    virtual bool sees_picture(uint32_t /*decoder layer*/) const { return true; }
    virtual std::string decoder_layer(uint32_t layer) const {
        return "decoder " + std::to_string(layer);
    }
    virtual void record(Commands& c, const Tensor& patches, const Parts& parts) = 0;
    // The results of the first `count` pictures of the batch.
    virtual std::vector<Reading> read(uint32_t count) = 0;

    // For decoders of words, whose heads have no mean over the picture.
    void set_heads_of_decoder_to_zero() { decoder_ = KnockOuts(); }

    Device& device() { return device_; }

private:
    struct Recording {
        Commands commands;
        uint32_t batch;
        TokenChoice tokens;
    };
    // What a recording is made for: runs with the same work can share one.
    struct Work {
        bool heads = false;     // some are off
        uint32_t left_out = 0;  // tokens that are left out or hidden
        bool blind = false;     // the decoder sees none
    };
    struct Run {
        size_t index;
        std::vector<uint32_t> tokens;
        Work work;
    };
    std::vector<Run> runs_of(std::span<const KnockOut> all) const;
    Recording& recording(const Work& work);
    void prepare(std::span<const KnockOut> all, std::span<const Run> some, Recording& now);
    void switch_heads_off(uint32_t run, const KnockOut& without, bool blind);

    Device& device_;
    Arena& scratch_;
    MaskedInput input_;
    CellInstead instead_;
    std::optional<TokenCells> token_cells_;  // none: cells of pixels
    MapGeometry geometry_;
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
