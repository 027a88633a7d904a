#pragma once

#include <cstdint>

namespace saccade {

// Notices a detector that finds nothing at all: its weights may not belong to the code that
// computes it.
class EmptyFrames {
public:
    // To be called for every frame that the detector has seen, with the best of all scores, and the
    // score from which on detections count. True once: when a hundred frames in a row have had no
    // score above a tenth of that.
    bool add(float best, float threshold) {
        in_a_row_ = best > threshold / 10 ? 0 : in_a_row_ + 1;
        if (told_ || in_a_row_ < 100) return false;
        told_ = true;
        return true;
    }

private:
    uint32_t in_a_row_ = 0;
    bool told_ = false;
};

}  // namespace saccade
