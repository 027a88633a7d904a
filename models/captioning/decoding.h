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

// A sentence as ids, with the logarithm of each one's probability (0 of those that were given).
struct DecodedIds {
    std::vector<uint32_t> ids;
    std::vector<float> logs;
    double score = 0;  // sum of logs over length ^ length_penalty
};

// Writes a sentence about each picture of a group, word after word, all of them in step: a step
// reads and chooses one word of every sentence. Each sentence has its own end, and its ids do not
// depend on the other pictures; what a step does for one that has ended is thrown away. A step's
// recording is made once and replayed for every group.
class Decoding {
public:
    virtual ~Decoding() = default;

    // Forgets what was written. The pictures may change now. `filled` says which of the group's
    // places have a picture; nobody waits for what would be said of the others.
    virtual void start(const std::vector<bool>& filled) = 0;
    // Up to `words` more ids of each sentence, unless all are at their ends.
    virtual void advance(uint32_t words) = 0;
    // Whether there is nothing left to do, as far as is known without waiting.
    virtual bool finished() = 0;
    // Waits for what has been asked for: a sentence for each place, without ids if it is empty.
    virtual std::vector<DecodedIds> results() = 0;

    // Keys and queries of the sentences that results() gave lie here: batch i is picture i's.
    virtual const DecoderState& state() = 0;
    // (sentences, 1, vocabulary) f32: what the last step said may come next. Sentences of the first
    // picture come first.
    virtual const Tensor& logits() const = 0;
    // GPU time of all steps of this group, after results().
    virtual double ms() const = 0;
    // What all steps are made of.
    virtual Commands::Counts counts() const = 0;

    // Greedy with one beam, else beam search. Sentences begin with `given` ids. `memory` is that of
    // DecoderState: it says how many pictures a group has.
    static std::unique_ptr<Decoding> make(Device& device, Arena& scratch, const CaptionModel& model,
                                          const Tensor& memory, const Generation& generation,
                                          std::span<const uint32_t> given);
};

}  // namespace saccade
