#pragma once

#include <array>

#include "models/captioning/decoding_parts.h"

namespace saccade {

// Beam search. The device reads the words of all pictures' beams and says which are best to follow;
// BeamSearch decides on the host which of them are followed, and when a sentence has ended. Where
// steps are short against the way to the host and back, the device makes the same choice by itself:
// steps are handed in one after the other, and the host goes through what they found afterwards.
class Beams : public Decoding {
public:
    Beams(Device& device, Arena& scratch, const CaptionModel& model, const Tensor& memory,
          const Generation& generation, std::span<const uint32_t> given);
    ~Beams() override;

    void start(const std::vector<bool>& filled) override;
    void advance(uint32_t words) override;
    bool finished() override;
    std::vector<DecodedIds> results() override;

    const DecoderState& state() override;
    const Tensor& logits() const override { return logits_.tensor; }
    double ms() const override;
    Commands::Counts counts() const override { return counts_of(steps_); }

private:
    uint32_t steps() const { return generation_.max_length - count(given_); }
    OwnTensor make_chosen(const char* name, uint32_t batch, uint32_t rows, uint32_t columns) const;
    void record_step(Arena& scratch, uint32_t said);
    bool running(uint32_t picture) const {
        return filled_[picture] && !searches_[picture].finished();
    }
    bool all_ended() const;
    void write_running();
    void take_candidates(uint32_t picture, uint32_t step);
    void take_steps();
    void read_again();

    Device& device_;
    const TextDecoder& decoder_;
    Generation generation_;
    std::vector<uint32_t> given_;
    Rules rules_;
    std::vector<BeamSearch> searches_;  // one for each place of the group
    std::vector<bool> filled_;
    uint32_t candidates_;    // that the device proposes for each beam
    bool chosen_on_device_;  // else every step waits for the host
    // Below, `all` are the beams of all pictures; those of the first picture come first.
    uint32_t all_;
    // Beams are copied from one to the other at every step, each from its parent, and so are ids.
    std::array<OwnTensor, 2> past_;
    std::array<OwnTensor, 2> ids_;  // (all, length, 1), written by who chooses
    OwnTensor logits_;              // (all, 1, vocabulary)
    // The given ids as ids_ has them, (1, n, 1), and as the decoder reads several, (pictures, 1, n).
    OwnTensor given_ids_, given_row_;
    OwnTensor parents_;         // (1, 1, all), written by who chooses
    OwnTensor sums_, stops_;    // see BeamStep
    OwnTensor best_, about_;    // what pick gives: (all, 1, 1), (all, 3 * steps, 1)
    OwnTensor values_, words_;  // (all, steps, candidates): the best of each beam, and their logits
    OwnTensor row_;             // (pictures, 1, length): sentences that are read again
    OwnTensor said_;            // past of the sentences that were chosen in the end
    DecoderState state_;        // with that
    bool looked_ = false;       // somebody asks for it: else it is not made
    std::vector<std::unique_ptr<Commands>> steps_;
    Commands again_;
    size_t submitted_ = 0, taken_ = 0;  // steps
    Ticket last_;
};

}  // namespace saccade
