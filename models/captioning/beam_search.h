#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/captioning/generation.h"

namespace saccade {

// Beam search with the scores and the stop rules of transformers: the best unfinished
// sentences go on, and finished ones are kept aside, by the sum of their log-probabilities over
// length ^ length_penalty. It decides on the host what the device has proposed.
class BeamSearch {
public:
    // Sentences begin with `given` ids.
    BeamSearch(const Generation& generation, std::span<const uint32_t> given);

    // How many of the best next ids of each beam it wants to see.
    uint32_t candidates() const { return candidates_; }

    struct Candidate {
        uint32_t beam = 0, id = 0;
        double log_p = 0;
    };
    // Takes candidates of every running beam; at first there is only beam 0.
    void advance(std::span<const Candidate> next);

    struct Sentence {
        std::vector<uint32_t> ids;
        std::vector<double> logs;  // log-probability of each id; 0 of those that were given
        double sum = 0;            // of logs
        double score = 0;          // of a finished one
        uint32_t parent = 0;       // the beam that it continues
    };
    const std::vector<Sentence>& running() const { return running_; }
    bool finished() const { return finished_; }
    // The best finished sentence, or, before there is one, the best that is running.
    const Sentence& best() const { return done_.empty() ? running_.front() : done_.front(); }

private:
    void keep(const Sentence& sentence);

    Generation generation_;
    size_t given_;
    uint32_t candidates_;
    std::vector<Sentence> running_, done_;  // best first
    bool finished_ = false;
};

}  // namespace saccade
