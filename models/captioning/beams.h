#pragma once

#include <array>

#include "models/captioning/decoding_parts.h"

namespace saccade {

// Beam search for a group of pictures. The device reads the tokens of all beams and proposes
// candidates; BeamSearch chooses among them on the host and decides when a sentence ends. Where a
// step is short compared with a round trip to the host, the device makes the same choice itself:
// steps are submitted ahead, and the host replays their candidates afterwards.
class Beams : public Decoding {
public:
    Beams(Device& device, Arena& scratch, const CaptionModel& model, const Tensor& memory,
          const Generation& generation, std::span<const uint32_t> prompt, KnockOuts* knock_outs);
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
    uint32_t steps() const { return generation_.max_length - count(prompt_); }
    OwnTensor make_chosen(const char* name, uint32_t batch, uint32_t rows, uint32_t columns) const;
    void record_step(Arena& scratch, uint32_t length);
    bool running(uint32_t picture) const {
        return filled_[picture] && !searches_[picture].finished();
    }
    bool all_ended() const;
    void write_running();
    void take_candidates(uint32_t picture, uint32_t step);
    void take_steps();
    void rebuild_state();

    Device& device_;
    const TextDecoder& decoder_;
    Generation generation_;
    std::vector<uint32_t> prompt_;
    LogitsProcessor processor_;
    std::vector<BeamSearch> searches_;  // one for each place of the group
    std::vector<bool> filled_;
    uint32_t candidates_;    // per beam
    bool chosen_on_device_;  // false: every step waits for the host
    // Below, `all` is the number of beams of all pictures; those of the first picture come first.
    uint32_t all_;
    // Double buffers: every step copies the KV cache and the ids of each beam from its parent.
    std::array<OwnTensor, 2> past_;
    std::array<OwnTensor, 2> ids_;  // (all, length, 1), written by choose_beams or the host
    OwnTensor logits_;              // (all, 1, vocabulary)
    // The prompt in the layout of ids_, (1, n, 1), and as the decoder reads it, (pictures, 1, n).
    OwnTensor prompt_ids_, prompt_row_;
    OwnTensor parents_;       // (1, 1, all), written like ids_
    OwnTensor sums_, stops_;  // see BeamStep
    OwnTensor best_, about_;  // pick's output: (all, 1, 1), (all, 3 * steps, 1)
    OwnTensor values_,
        words_;              // (all, steps, candidates): logits and ids of each beam's candidates
    OwnTensor row_;          // (pictures, 1, length): the chosen sentences, for rebuild_state()
    OwnTensor chosen_past_;  // KV cache of the sentences that were chosen
    DecoderState state_;     // with chosen_past_
    bool state_wanted_ =
        false;  // false: state() was never called, and results() does not rebuild it
    std::vector<std::unique_ptr<Commands>> steps_;
    Commands rebuild_;
    size_t submitted_ = 0, taken_ = 0;  // steps: on the device, and replayed on the host
    Ticket last_;
};

}  // namespace saccade
