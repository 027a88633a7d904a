#pragma once

#include <map>
#include <optional>
#include <set>

#include "gpu/core/buffer.h"
#include "gpu/ops/attention.h"
#include "gpu/ops/deformable.h"
#include "gpu/ops/grid_attention.h"
#include "gpu/recorder/commands.h"

namespace saccade {

// The queries and keys of a layer: all that its attention maps are made of.
struct AttentionLayer {
    Tensor q, k;  // (batch, tokens, heads * padded head size)
    Heads heads;
    // Of deformable attention; then q is where the points lie, and k what they weigh.
    std::vector<uint32_t> points = {};  // of one head, on each level; else empty
    std::vector<Size> levels = {};
    std::optional<Windows> windows = std::nullopt;        // that cells look in, if not everywhere
    std::optional<RelativePlaces> places = std::nullopt;  // of queries and keys, with scores for them
    Tensor scores = {};
    Tensor additive = {};  // w of additive attention, whose scores are w . tanh(k + q); else none

    // Tokens that look. The padding of a map in windows does not.
    uint32_t tokens() const { return windows ? windows->tokens() : q.rows; }
    // Cells or tokens that a row of attention has: points are laid down on the largest map.
    uint32_t keys() const {
        if (windows) return windows->tokens();
        return points.empty() ? k.rows : area(levels.front());
    }
};

// Somebody who looks into a model while it runs. A model offers its queries and keys, and its
// residual stream, at every layer; the tap keeps copies of what was asked for. Attention maps are
// computed from these afterwards, for any row and head, and never touch the model's own work:
// without a tap nothing is recorded, and with one the answers stay the same bits. It may be
// recorded again with other shapes once what was recorded before has run.
class Tap {
public:
    Tap() = default;  // nobody is looking
    // Keeps q and k of these layers, the residual stream if `hidden`, and what the model knows of
    // each token at its end if `features`.
    explicit Tap(std::set<uint32_t> layers, bool hidden = false, bool features = false)
        : layers_(std::move(layers)), keep_hidden_(hidden), keep_features_(features) {}

    // Whether somebody asked for a layer, for models that must put it in order first.
    bool wants(uint32_t layer) const { return layers_.contains(layer); }
    // Called by models.
    void attention(Commands& c, uint32_t layer, const Tensor& q, const Tensor& k,
                   const Heads& heads, std::optional<Windows> windows = std::nullopt);
    void attention(Commands& c, uint32_t layer, const Tensor& q, const Tensor& k,
                   const Heads& heads, const RelativePlaces& places, const Tensor& scores);
    // The same of deformable attention, whose queries look at points of maps of these sizes.
    void sampling(Commands& c, uint32_t layer, const SamplingQueries& queries, uint32_t heads,
                  const Sampling& sampling, const std::vector<Size>& levels);
    void hidden(Commands& c, uint32_t index, const Tensor& z);
    void features(Commands& c, const Tensor& y);
    bool wants_features() const { return keep_features_; }
    // Whether the stream after the last block matters, even of tokens that no answer is read from.
    bool wants_last() const { return keep_hidden_ || keep_features_; }

    struct Kept : AttentionLayer {
        Buffer q_memory = {}, k_memory = {}, scores_memory = {};
    };
    const std::map<uint32_t, Kept>& layers() const { return kept_; }
    const Kept& layer(uint32_t index) const;
    const std::map<uint32_t, Tensor>& hidden_states() const { return hidden_; }
    const Tensor& features() const { return features_; }  // (batch, tokens, columns), or none

private:
    // A copy in memory that lasts, made anew where the shape has outgrown it.
    Tensor keep(Commands& c, Buffer& memory, const Tensor& from);

    std::set<uint32_t> layers_;
    bool keep_hidden_ = false, keep_features_ = false;
    std::map<uint32_t, Kept> kept_;
    std::map<uint32_t, Tensor> hidden_;
    std::map<uint32_t, Buffer> hidden_memory_;
    Tensor features_;
    Buffer features_memory_;
};

}  // namespace saccade
