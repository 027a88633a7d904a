#pragma once

#include <array>

#include "models/decoding_parts.h"

namespace saccade {

// Beam search: the device reads the beams' words and says which are best to follow, the host
// chooses among these. Every step waits for the host.
class Beams : public Decoding {
public:
    Beams(Device& device, Arena& scratch, const CaptionModel& model, const Tensor& memory,
          const Generation& generation, std::span<const uint32_t> given);

    void start() override;
    void advance(uint32_t words) override;
    bool finished() override { return search_.finished(); }
    DecodedIds result() override;

    const DecoderState& state() const override { return state_; }
    const Tensor& logits() const override { return logits_.tensor; }
    double ms() const override { return ms_; }
    Commands::Counts counts() const override { return counts_of(steps_); }

private:
    void record_step(Arena& scratch, const TextDecoder& decoder, uint32_t said);
    void step();
    void read_again(const std::vector<uint32_t>& ids);

    const TextDecoder& decoder_;
    Generation generation_;
    std::vector<uint32_t> given_;
    Rules rules_;
    BeamSearch search_;
    // Beams are copied from one to the other at every step, each from its parent.
    std::array<OwnTensor, 2> past_;
    OwnTensor logits_;          // (beams, 1, vocabulary)
    OwnTensor ids_;             // (beams, length, 1), written by the host
    OwnTensor row_;             // (1, 1, length): a sentence as the decoder reads several words
    OwnTensor parents_;         // (1, 1, beams)
    OwnTensor best_, about_;    // what pick gives: (beams, 1, 1), (beams, 3, 1)
    OwnTensor values_, words_;  // (beams, 1, candidates): the best of each beam, and their logits
    DecoderState state_;        // of the sentence that was chosen in the end
    std::vector<std::unique_ptr<Commands>> steps_;
    Commands again_;
    size_t taken_ = 0;  // steps
    double ms_ = 0;
};

}  // namespace saccade
