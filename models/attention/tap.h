#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "gpu/core/buffer.h"
#include "gpu/ops/attention.h"
#include "gpu/ops/deformable.h"
#include "gpu/ops/grid_attention.h"
#include "gpu/recorder/commands.h"
#include "models/attention/knock_outs.h"
#include "models/attention/token_choice.h"

namespace saccade {

// The queries and keys of a layer, from which its attention maps are computed.
struct AttentionLayer {
    Tensor q, k;  // (batch, tokens, heads * padded head size)
    Heads heads;
    // Deformable attention: q holds the sampling locations, k the attention weights.
    std::vector<uint32_t> points = {};  // per head, on each level; empty for other attention
    std::vector<Size> levels = {};
    std::optional<Windows> windows = std::nullopt;        // of window attention
    std::optional<RelativePlaces> places = std::nullopt;  // relative positions, with `scores`
    Tensor scores = {};
    Tensor additive = {};  // w of additive attention, whose scores are w . tanh(k + q); else none
    Tensor v = {};         // like k, if the tap keeps values and the model offers them

    // The number of queries, without the padding of windows.
    uint32_t tokens() const { return windows ? windows->tokens() : q.rows; }
    // The number of keys in a row of attention; points are splatted onto the largest map.
    uint32_t keys() const {
        if (windows) return windows->tokens();
        return points.empty() ? k.rows : area(levels.front());
    }
};

// A tap captures attention and hidden states while a model runs (others call this a hook or a
// probe). A model offers its queries and keys, and its residual stream, at every layer; the tap
// copies the requested ones. Attention maps are computed from these copies afterwards, for any
// query and head. Without a tap nothing is recorded, and with one the model's output stays the same
// to the bit. A tap may be recorded again with other shapes once the earlier recording has run.
class Tap {
public:
    Tap() = default;  // keeps nothing
    // Keeps q and k of these layers, the residual stream if `hidden`, and the final features of
    // each token if `features`.
    explicit Tap(std::set<uint32_t> layers, bool hidden = false, bool features = false)
        : layers_(std::move(layers)), keep_hidden_(hidden), keep_features_(features) {}

    // Of the layers 0 to `count` - 1.
    static Tap on_first(uint32_t count, bool hidden = false, bool features = false);

    // Keeps v of these layers too, from the next recording on.
    void keep_values() { keep_values_ = true; }

    // Whether the layer is kept, for models that must reorder q and k first.
    bool wants(uint32_t layer) const { return layers_.contains(layer); }
    // Called by models.
    void attention(Commands& c, uint32_t layer, const Tensor& q, const Tensor& k,
                   const Heads& heads, std::optional<Windows> windows = std::nullopt);
    void attention(Commands& c, uint32_t layer, const Tensor& q, const Tensor& k,
                   const Heads& heads, const RelativePlaces& places, const Tensor& scores);
    // The same for deformable attention, which samples maps of these sizes.
    void sampling(Commands& c, uint32_t layer, const SamplingQueries& queries, uint32_t heads,
                  const Sampling& sampling, const std::vector<Size>& levels);
    // After attention() of the same layer.
    void values(Commands& c, uint32_t layer, const Tensor& v);
    void hidden(Commands& c, uint32_t index, const Tensor& z);
    void features(Commands& c, const Tensor& y);
    bool wants_features() const { return keep_features_; }
    // Whether all tokens of the stream after the last block are needed, not only those that the
    // head reads.
    bool wants_last() const { return keep_hidden_ || keep_features_; }

    // What is switched off while the model runs; null: nothing. It must live as long as recordings.
    void knock_out(KnockOuts* knock_outs) { knock_outs_ = knock_outs; }
    KnockOuts* knock_outs() const { return knock_outs_; }
    // Called by models: the output of attention's heads, before their projection.
    Tensor heads(Commands& c, uint32_t layer, const Tensor& y, const Heads& heads) const {
        return knock_outs_ ? knock_outs_->without(c, layer, y, heads) : y;
    }
    bool skips_attention(uint32_t layer) const {
        return knock_outs_ && knock_outs_->skips_attention(layer);
    }
    bool skips_mlp(uint32_t layer) const { return knock_outs_ && knock_outs_->skips_mlp(layer); }
    bool skips_positions() const { return knock_outs_ && knock_outs_->skips_positions(); }
    // Whether the heads' mean over all tokens is needed, not only the tokens that the head reads.
    bool wants_mean() const { return knock_outs_ && knock_outs_->wants_mean(); }

    // Which tokens of the picture are left out; null: none. It must live as long as recordings. A
    // model leaves them out after the embedding (see leaves_tokens_out() of models), a detector's
    // decoder before it reads the encoder's (hides_tokens()).
    void leave_out(TokenChoice* tokens) { tokens_ = tokens; }
    Tensor tokens(Commands& c, const Tensor& z) const { return tokens_ ? tokens_->of(c, z) : z; }
    // The same of a table (1, tokens, columns), for each picture of a batch.
    Tensor tokens(Commands& c, const Tensor& table, uint32_t batch) const {
        return tokens_ ? tokens_->of(c, table, batch) : table;
    }

    struct Kept : AttentionLayer {
        Buffer q_memory = {}, k_memory = {}, v_memory = {}, scores_memory = {};
    };
    const std::map<uint32_t, Kept>& layers() const { return kept_; }
    std::vector<AttentionLayer> in_order() const;  // the kept layers, the first one first
    const Kept& layer(uint32_t index) const;
    const std::map<uint32_t, Tensor>& hidden_states() const { return hidden_; }
    const Tensor& features() const { return features_; }  // (batch, tokens, columns), or empty

private:
    // A copy that outlives the recording; reallocates memory that is too small.
    Tensor keep(Commands& c, Buffer& memory, const Tensor& from);

    std::set<uint32_t> layers_;
    bool keep_hidden_ = false, keep_features_ = false, keep_values_ = false;
    std::map<uint32_t, Kept> kept_;
    std::map<uint32_t, Tensor> hidden_;
    std::map<uint32_t, Buffer> hidden_memory_;
    Tensor features_;
    Buffer features_memory_;
    KnockOuts* knock_outs_ = nullptr;
    TokenChoice* tokens_ = nullptr;
};

}  // namespace saccade
