#pragma once

#include <array>

#include "models/captioning/decoding_parts.h"

namespace saccade {

// Beam search: the device reads the words of all pictures' beams and says which are best to follow,
// the host chooses among these for each picture. Every step waits for the host.
class Beams : public Decoding {
public:
    Beams(Device& device, Arena& scratch, const CaptionModel& model, const Tensor& memory,
          const Generation& generation, std::span<const uint32_t> given);

    void start(const std::vector<bool>& filled) override;
    void advance(uint32_t words) override;
    bool finished() override;
    std::vector<DecodedIds> results() override;

    const DecoderState& state() const override { return state_; }
    const Tensor& logits() const override { return logits_.tensor; }
    double ms() const override { return ms_; }
    Commands::Counts counts() const override { return counts_of(steps_); }

private:
    void record_step(Arena& scratch, const TextDecoder& decoder, uint32_t said);
    void step();
    bool running(uint32_t picture) const {
        return filled_[picture] && !searches_[picture].finished();
    }
    void write_running(uint32_t picture);
    void take_candidates(uint32_t picture);
    void read_again();

    const TextDecoder& decoder_;
    Generation generation_;
    std::vector<uint32_t> given_;
    Rules rules_;
    std::vector<BeamSearch> searches_;  // one for each place of the group
    std::vector<bool> filled_;
    // Below, `all` are the beams of all pictures; those of the first picture come first.
    uint32_t all_;
    // Beams are copied from one to the other at every step, each from its parent.
    std::array<OwnTensor, 2> past_;
    OwnTensor logits_;          // (all, 1, vocabulary)
    OwnTensor ids_;             // (all, length, 1), written by the host
    OwnTensor row_;             // (pictures, 1, length): as the decoder reads several words
    OwnTensor parents_;         // (1, 1, all)
    OwnTensor best_, about_;    // what pick gives: (all, 1, 1), (all, 3, 1)
    OwnTensor values_, words_;  // (all, 1, candidates): the best of each beam, and their logits
    OwnTensor said_;            // past of the sentences that were chosen in the end
    DecoderState state_;        // with that
    std::vector<std::unique_ptr<Commands>> steps_;
    Commands again_;
    size_t taken_ = 0;  // steps
    double ms_ = 0;
};

}  // namespace saccade
