#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/captioning/generation.h"

namespace saccade {

// Beam search with the scores and stopping rules of transformers. The best unfinished sentences are
// continued; finished ones are kept, ranked by the sum of their log-probabilities / length ^
// length_penalty. Runs on the host, on candidates that the device proposes.
class BeamSearch {
public:
    // Sentences begin with the ids of `prompt`.
    BeamSearch(const Generation& generation, std::span<const uint32_t> prompt);

    // The number of candidates that it needs from each beam.
    uint32_t candidates() const { return candidates_; }

    struct Candidate {
        uint32_t beam = 0, id = 0;
        double log_p = 0;
    };
    // Takes the candidates of every running beam; at first there is only beam 0.
    void advance(std::span<const Candidate> next);

    struct Sentence {
        std::vector<uint32_t> ids;
        std::vector<double> log_probs;  // log-probability of each id; 0 for the prompt
        double sum = 0;                 // of log_probs
        double score = 0;               // of a finished sentence
        uint32_t parent = 0;            // the beam that it continues
    };
    const std::vector<Sentence>& running() const { return running_; }
    bool finished() const { return finished_; }
    // The best finished sentence, or the best running one if none has finished.
    const Sentence& best() const { return done_.empty() ? running_.front() : done_.front(); }

private:
    void keep(const Sentence& sentence);

    Generation generation_;
    size_t prompt_;
    uint32_t candidates_;
    std::vector<Sentence> running_, done_;  // best first
    bool finished_ = false;
};

}  // namespace saccade
