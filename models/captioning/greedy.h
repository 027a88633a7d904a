#pragma once

#include "models/captioning/decoding_parts.h"

namespace saccade {

// The best word of each picture's sentence at every step. Ids never leave the device on their way
// to the next step: steps are handed in one after the other, and whether the sentences have ended
// is seen afterwards. What was written past an end is cut off.
class Greedy : public Decoding {
public:
    Greedy(Device& device, Arena& scratch, const CaptionModel& model, const Tensor& memory,
           const Generation& generation, std::span<const uint32_t> given);
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
    void record_step(Arena& scratch, const TextDecoder& decoder, uint32_t said);
    void read_fixed(Arena& scratch, const TextDecoder& decoder);
    DecodedIds read(uint32_t picture) const;

    Device& device_;
    Generation generation_;
    std::vector<uint32_t> given_;
    Rules rules_;
    OwnTensor past_, logits_;
    OwnTensor ids_;    // (pictures, length, 1)
    OwnTensor about_;  // (pictures, 3 * length, 1): what pick gives for each, mapped
    uint32_t fixed_ = 0;  // of the given ids, those that are the same whatever the picture is
    // The given ids as ids_ has them, (1, n, 1), and as they are read, (pictures, 1, n): those that are
    // fixed, and the others.
    OwnTensor given_ids_, fixed_row_, given_row_;
    DecoderState state_;
    std::vector<std::unique_ptr<Commands>> steps_;
    std::vector<bool> filled_;
    size_t submitted_ = 0;
    Ticket last_;
    bool ended_ = false;
};

}  // namespace saccade
