#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "models/knock_outs/trials.h"

namespace saccade {

// Deletion and insertion (Petsiuk et al. 2018): the target's score while cells are knocked out in
// some order, and while they are put back in the same order. A map that tells what the target needs
// has a small area under the first curve and a large one under the second.
struct Curves {
    std::vector<double> deletion, insertion;  // scores after 0, 1, ..., n equal parts of the cells

    double deletion_area() const;
    double insertion_area() const;
    // How much of the score is lost with the first fifth of the cells: 0 to 1.
    double lost_with_a_fifth() const;
};

struct Meter {
    struct Method {
        std::string name;  // "cause"
        Curves curves;
    };
    std::vector<Method> methods;
    std::vector<Curves> random;  // of random orders

    // Over the random orders.
    struct Spread {
        double mean = 0, deviation = 0;
    };
    Spread random_deletion() const;
    Spread random_insertion() const;
    // Whether a method's curves differ from those of random orders by more than their spread.
    bool beats_random(const Method& method) const;
    // Whether the score holds longer without what a method ranks first than without random cells:
    // other parts of the picture are enough by themselves.
    bool is_made_up_for(const Method& method) const;
    // "the fifth of the cells that it ranks first carries 61 % of the score, a random fifth 14 %"
    std::string in_words(const Method& method) const;
};

// A map as it ranks cells: the largest value first, equal ones by their place.
std::vector<uint32_t> order_of(std::span<const float> cells);

// A map over the picture, read at the middles of a grid's cells.
std::vector<float> resampled(std::span<const float> cells, const MapGeometry& from,
                             const MapGeometry& to);

// A map over the cells of the trials.
struct RankedMap {
    std::string name;
    std::vector<float> cells;
};
// Measures maps, and 8 random orders.
class Measurement {
public:
    Measurement(Trials& trials, std::span<const RankedMap> maps, uint32_t seed = 1);

    // Runs at most so many more; false if there was nothing left to do.
    bool go_on(uint32_t most = UINT32_MAX) { return list_.run_some(trials_, most) > 0; }
    bool done() const { return list_.done(); }
    Meter meter() const;  // when it is done

private:
    Trials& trials_;
    std::vector<std::string> names_;
    TrialList list_;  // all cells, none, then the steps of each map and of each random order
};
Meter measure(Trials& trials, std::span<const RankedMap> maps, uint32_t seed = 1);

}  // namespace saccade
