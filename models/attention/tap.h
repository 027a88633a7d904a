#pragma once

#include <map>
#include <set>

#include "gpu/core/buffer.h"
#include "gpu/ops.h"
#include "gpu/recorder/commands.h"

namespace saccade {

// The queries and keys of a layer: all that its attention maps are made of.
struct AttentionLayer {
    Tensor q, k;  // (batch, tokens, heads * padded head size)
    Heads heads;
};

// Somebody who looks into a model while it runs. A model offers its queries and keys, and its
// residual stream, at every layer; the tap keeps copies of what was asked for. Attention maps are
// computed from these afterwards, for any row and head, and never touch the model's own work:
// without a tap nothing is recorded, and with one the answers stay the same bits. It may be
// recorded again with other shapes once what was recorded before has run.
class Tap {
public:
    Tap() = default;  // nobody is looking
    // Keeps q and k of these layers, and the residual stream if `hidden`.
    explicit Tap(std::set<uint32_t> layers, bool hidden = false)
        : layers_(std::move(layers)), keep_hidden_(hidden) {}

    // Called by models.
    void attention(Commands& c, uint32_t layer, const Tensor& q, const Tensor& k,
                   const Heads& heads);
    void hidden(Commands& c, uint32_t index, const Tensor& z);

    struct Kept : AttentionLayer {
        Buffer q_memory = {}, k_memory = {};
    };
    const std::map<uint32_t, Kept>& layers() const { return kept_; }
    const Kept& layer(uint32_t index) const;
    const std::map<uint32_t, Tensor>& hidden_states() const { return hidden_; }

private:
    // A copy in memory that lasts, made anew where the shape has outgrown it.
    Tensor keep(Commands& c, Buffer& memory, const Tensor& from);

    std::set<uint32_t> layers_;
    bool keep_hidden_ = false;
    std::map<uint32_t, Kept> kept_;
    std::map<uint32_t, Tensor> hidden_;
    std::map<uint32_t, Buffer> hidden_memory_;
};

}  // namespace saccade
