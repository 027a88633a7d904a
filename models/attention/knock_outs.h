#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <span>

#include "gpu/core/buffer.h"
#include "gpu/ops/attention.h"
#include "gpu/recorder/commands.h"

namespace saccade {

// A head of a part of a model, counted from 0.
struct HeadAt {
    uint32_t layer = 0, head = 0;
    auto operator<=>(const HeadAt&) const =
        default;  // NOLINT(modernize-use-nullptr): clang-tidy 14
};

// What is switched off inside a model while it runs: heads of attention, whole blocks, and the
// positions of patches. A tap
// takes it to the layers. Each picture of a batch has heads of its own switched off, from one
// submission of a recording to the next; blocks are skipped for all pictures of a recording. A
// model that is recorded without any has the same commands, byte for byte.
class KnockOuts {
public:
    // What a head's output becomes.
    enum class Instead { zero, mean };  // the mean over the picture's tokens

    explicit KnockOuts(Instead instead = Instead::zero) : instead_(instead) {}

    // After the recording; none of it may be running.
    void switch_all_on();
    void switch_off(uint32_t picture, uint32_t layer, uint32_t head);
    // Before the recording: these stay off in every picture of all recordings, however many
    // pictures each has. Then the other two have no pictures to choose from. Heads that the model
    // does not have are ignored.
    void keep_off(std::span<const HeadAt> heads) { always_ = {heads.begin(), heads.end()}; }
    void skip_attention(uint32_t layer) { no_attention_.insert(layer); }
    void skip_mlp(uint32_t layer) { no_mlp_.insert(layer); }
    void skip_positions() { no_positions_ = true; }

    // The heads that can be switched off, by layer: known after a recording.
    std::map<uint32_t, uint32_t> heads() const;

    // Called by models: the heads' output (batch, tokens, heads * padded head size) without those
    // that are switched off.
    Tensor without(Commands& c, uint32_t layer, const Tensor& y, const Heads& heads);
    bool skips_attention(uint32_t layer) const { return no_attention_.contains(layer); }
    bool skips_mlp(uint32_t layer) const { return no_mlp_.contains(layer); }
    bool skips_positions() const { return no_positions_; }
    bool wants_mean() const { return instead_ == Instead::mean; }

private:
    struct Layer {
        Buffer memory;
        Tensor on;  // (batch, 2, columns) f32: 1 where a head is on, and 1 where it is off
        uint32_t heads = 0;
    };
    void prepare(Device& device, Layer& layer, const Tensor& y, uint32_t heads);
    static void set_off(const Layer& layer, uint32_t picture, uint32_t head);

    Instead instead_;
    std::set<uint32_t> no_attention_, no_mlp_;
    std::set<HeadAt> always_;
    bool no_positions_ = false;
    std::map<uint32_t, Layer> layers_;
};

}  // namespace saccade
