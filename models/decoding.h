#pragma once

#include <memory>
#include <span>
#include <vector>

#include "gpu/arena.h"
#include "gpu/buffer.h"
#include "gpu/commands.h"
#include "models/beam_search.h"
#include "models/caption_model.h"
#include "models/generation.h"

namespace saccade {

// A sentence as ids, with the logarithm of each one's probability (0 of those that were given).
struct DecodedIds {
    std::vector<uint32_t> ids;
    std::vector<float> logs;
    double score = 0;  // sum of logs over length ^ length_penalty
};

// Writes one sentence about the picture in `state.memory`, word after word. A step's recording is
// made once and replayed for every picture.
class Decoding {
public:
    virtual ~Decoding() = default;

    // Forgets what was written. The picture may change now.
    virtual void start() = 0;
    // Up to `words` more ids, unless the sentence is at its end.
    virtual void advance(uint32_t words) = 0;
    // Whether there is nothing left to do, as far as is known without waiting.
    virtual bool finished() = 0;
    // Waits for what has been asked for.
    virtual DecodedIds result() = 0;

    // Keys and queries of the sentence that result() gave lie here, as batch 0.
    virtual const DecoderState& state() const = 0;
    // (sentences, 1, vocabulary) f32: what the last step said may come next.
    virtual const Tensor& logits() const = 0;
    // GPU time of all steps of this sentence, after result().
    virtual double ms() const = 0;
    // What all steps are made of.
    virtual Commands::Counts counts() const = 0;

    // Greedy with one beam, else beam search. Sentences begin with `given` ids.
    static std::unique_ptr<Decoding> make(Device& device, Arena& scratch, const CaptionModel& model,
                                          const Tensor& memory, const Generation& generation,
                                          std::span<const uint32_t> given);
};

}  // namespace saccade
