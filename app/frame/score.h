#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "app/frame/source.h"
#include "models/detector.h"

namespace saccade {

// The area that both cover, as a part of what either covers.
float overlap(const Rectangle& a, const Rectangle& b);

// Detections right, wrong and missing so far.
struct Tally {
    uint64_t right = 0, wrong = 0, missed = 0;

    uint64_t count() const { return right + wrong + missed; }
    // 1 where there was nothing to get wrong.
    double precision() const;  // of what was found, how much is there
    double recall() const;     // of what is there, how much was found
    Tally& operator+=(const Tally& other);
};

// What a model finds, held against what a source knows to be there. A detection is right where it
// overlaps an object of its own label that no better detection has taken, by half of both together.
Tally compare(std::span<const Detection> found, const std::vector<std::string>& labels,
              const Truth& truth);

// A run's account.
class Score {
public:
    void add(std::span<const Detection> found, const std::vector<std::string>& labels,
             const Truth& truth);
    void add_caption(const std::string& caption, const Truth& truth);

    const Tally& objects() const { return objects_; }
    uint64_t captions() const { return captions_; }
    uint64_t right_captions() const { return right_captions_; }  // to the word

private:
    Tally objects_;
    uint64_t captions_ = 0, right_captions_ = 0;
};

}  // namespace saccade
