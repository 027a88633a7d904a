#pragma once

#include <cstdint>
#include <vector>

#include "models/knock_outs/trials.h"

namespace saccade {

// How much a target falls when a cell of the picture is knocked out: positive where the target
// needs the cell, negative where the cell holds it back. Coarse first: squares of 2 x 2 cells are
// knocked out whole, then taken apart, those with the largest effect first.
class CauseMap {
public:
    // `quick`: before all that, blocks of 4 x 4 cells, so that there is something to see soon.
    explicit CauseMap(Trials& trials, bool quick = false);

    // Knocks out at most so many more, but no less than what makes a difference; false if there was
    // nothing left to do. First the coarse map, then finer ones.
    bool refine(uint32_t most = UINT32_MAX);
    // The same as long as the next square has an effect above the noise.
    bool refine_where_it_matters(uint32_t most = UINT32_MAX);
    // Whether the coarse map is there: before, the noise means nothing.
    bool usable() const { return usable_; }
    // Whether there is any map.
    bool known() const { return usable_ || (blocks_.done() && !blocks_.all().empty()); }
    uint32_t squares() const { return static_cast<uint32_t>(squares_.size()); }
    uint32_t squares_done() const;

    Size grid() const { return grid_; }
    // Row after row, in the target's units. The cells of a square that has not been taken apart
    // share its effect.
    const std::vector<float>& cells() const { return cells_; }
    uint32_t largest() const;  // the cell that the target needs most
    const Reading& whole() const { return whole_; }
    uint32_t knock_outs() const { return knock_outs_; }
    // What a cell that does not matter does: the spread of the coarse map's effects, by their
    // median absolute deviation, for a single cell.
    double noise() const { return noise_; }

private:
    struct Square {
        std::vector<uint32_t> cells;
        double effect = 0;
        bool apart = false;  // each of its cells has been knocked out alone
    };
    bool knock_out_blocks(uint32_t most);
    void knock_out_squares(uint32_t most);
    void take_coarse_map();
    bool take_apart(uint32_t most, double above);

    Trials& trials_;
    Size grid_;
    Reading whole_;
    TrialList blocks_;  // the whole picture, then each block; empty if none are wanted
    TrialList coarse_;  // the whole picture, then each square
    bool usable_ = false;
    std::vector<Square> squares_;  // the largest effect first, once they are measured
    std::vector<float> cells_;
    double noise_ = 0;
    uint32_t knock_outs_ = 0;
};

// How much the target falls when each head is switched off.
class HeadEffects {
public:
    explicit HeadEffects(Trials& trials);

    // Switches at most so many more heads off, one by one; false if there was nothing left to do.
    bool go_on(uint32_t most = UINT32_MAX) { return list_.run_some(trials_, most) > 0; }
    bool done() const { return list_.done(); }
    // A row for each layer, as far as they are known. Empty if the model has no heads that can be
    // switched off.
    std::vector<std::vector<float>> table() const;

private:
    Trials& trials_;
    size_t layers_ = 0;
    TrialList list_;  // with all on, then without each
};
std::vector<std::vector<float>> head_effects(Trials& trials);

}  // namespace saccade
