#pragma once

#include "models/captioning/decoding_parts.h"

namespace saccade {

// Greedy search: every step takes the argmax of the logits. Ids go from step to step on the device:
// steps are submitted ahead, and the host finds out afterwards whether the sentences have ended.
// Tokens past the end are cut off.
class Greedy : public Decoding {
public:
    Greedy(Device& device, Arena& scratch, const CaptionModel& model, const Tensor& memory,
           const Generation& generation, std::span<const uint32_t> prompt, KnockOuts* knock_outs);
    ~Greedy() override;

    void start(const std::vector<bool>& filled) override;
    void advance(uint32_t words) override;
    bool finished() override;
    std::vector<DecodedIds> results() override;

    const DecoderState& state() override { return state_; }
    const Tensor& logits() const override { return logits_.tensor; }
    double ms() const override;
    Commands::Counts counts() const override { return counts_of(steps_); }

private:
    void record_step(Arena& scratch, const TextDecoder& decoder, uint32_t length);
    void read_fixed(Arena& scratch, const TextDecoder& decoder);
    DecodedIds read(uint32_t picture) const;

    Device& device_;
    Generation generation_;
    std::vector<uint32_t> prompt_;
    LogitsProcessor processor_;
    OwnTensor past_, logits_;
    OwnTensor ids_;       // (pictures, length, 1)
    OwnTensor about_;     // (pictures, 3 * length, 1): pick's output for each id, mapped
    uint32_t fixed_ = 0;  // ids of the prompt whose KV cache does not depend on the picture
    // The prompt in the layout of ids_, (1, n, 1), and as the decoder reads it, (pictures, 1, n):
    // the fixed ids, and the others.
    OwnTensor prompt_ids_, fixed_row_, prompt_row_;
    DecoderState state_;
    std::vector<std::unique_ptr<Commands>> steps_;
    std::vector<bool> filled_;
    size_t submitted_ = 0;
    Ticket last_;
    bool ended_ = false;
};

}  // namespace saccade
