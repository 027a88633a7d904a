#pragma once

#include <memory>
#include <span>
#include <vector>

#include "gpu/core/buffer.h"
#include "gpu/recorder/arena.h"
#include "gpu/recorder/commands.h"
#include "models/captioning/beam_search.h"
#include "models/captioning/caption_model.h"
#include "models/captioning/generation.h"

namespace saccade {

// A sentence as ids, with the log-probability of each (0 for the prompt).
struct DecodedIds {
    std::vector<uint32_t> ids;
    std::vector<float> log_probs;
    double score = 0;  // sum of log_probs / length ^ length_penalty
};

// Decodes a sentence for each picture of a group, token by token and in lockstep: a step reads and
// chooses one token of every sentence. A sentence's ids do not depend on the other pictures; the
// tokens after its end are discarded. Each step is recorded once and replayed for every group.
class Decoding {
public:
    virtual ~Decoding() = default;

    // Starts over, with new pictures. `filled` says which places of the group have a picture; the
    // results of the others are not waited for.
    virtual void start(const std::vector<bool>& filled) = 0;
    // Decodes up to `words` more ids of each sentence, unless all have ended.
    virtual void advance(uint32_t words) = 0;
    // Whether all sentences have ended, as far as is known without waiting for the device.
    virtual bool finished() = 0;
    // Waits for the device. A sentence for each place of the group; an empty place has no ids.
    virtual std::vector<DecodedIds> results() = 0;

    // Keys and queries of the sentences of results(): batch i belongs to picture i.
    virtual const DecoderState& state() = 0;
    // (sentences, 1, vocabulary) f32: logits of the last step. Sentences of the first picture come
    // first.
    virtual const Tensor& logits() const = 0;
    // GPU time of all steps of this group, after results().
    virtual double ms() const = 0;
    // Dispatches and barriers of all steps.
    virtual Commands::Counts counts() const = 0;

    // Greedy search with one beam, else beam search. `prompt`: the ids that every sentence begins
    // with. `memory` and `knock_outs` are DecoderState's; the memory's batch is the number of
    // pictures in a group.
    static std::unique_ptr<Decoding> make(Device& device, Arena& scratch, const CaptionModel& model,
                                          const Tensor& memory, const Generation& generation,
                                          std::span<const uint32_t> prompt,
                                          KnockOuts* knock_outs = nullptr);
};

}  // namespace saccade
