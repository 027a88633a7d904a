#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "app/frame/source.h"
#include "models/detector.h"

namespace saccade {

// The IoU (intersection over union) of two boxes.
float iou(const Rectangle& a, const Rectangle& b);

// Counts of true positives, false positives and false negatives.
struct Tally {
    uint64_t right = 0, wrong = 0, missed = 0;

    uint64_t count() const { return right + wrong + missed; }
    // Both are 1 if there was nothing to count.
    double precision() const;
    double recall() const;
    Tally& operator+=(const Tally& other);
};

// Compares detections with the ground truth. A detection is right if it has an IoU of at least 0.5
// with an object of its label that no better detection has matched.
Tally compare(std::span<const Detection> found, const std::vector<std::string>& labels,
              const Truth& truth);

// The sums of a run.
class Score {
public:
    void add(std::span<const Detection> found, const std::vector<std::string>& labels,
             const Truth& truth);
    void add_caption(const std::string& caption, const Truth& truth);

    const Tally& objects() const { return objects_; }
    uint64_t captions() const { return captions_; }
    uint64_t right_captions() const { return right_captions_; }  // exact matches

private:
    Tally objects_;
    uint64_t captions_ = 0, right_captions_ = 0;
};

}  // namespace saccade
