#pragma once

#include <array>
#include <optional>

#include "app/frame/source.h"

namespace saccade {

// Finds cuts: frames that have hardly anything in common with the one before. A few hundred points
// of a frame are enough, so that little is read from memory that is slow to read.
class SceneCuts {
public:
    // Whether a cut lies before this frame. The first one has none.
    bool before(const Slot& frame);
    // The next frame counts as the first.
    void begin_anew() { last_.reset(); }

private:
    static constexpr uint32_t columns = 32, rows = 18, levels = 16;
    struct Sketch {
        std::array<uint8_t, size_t{columns} * rows> points;  // their brightness
        std::array<uint16_t, levels> histogram;              // of them
    };
    static Sketch sketch_of(const Slot& frame);

    std::optional<Sketch> last_;
};

}  // namespace saccade
