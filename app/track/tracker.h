#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "app/track/assignment.h"
#include "app/track/motion.h"
#include "app/track/observations.h"

namespace saccade {

struct TrackerSettings {
    float strong = 0.5f;  // a score that begins a track
    float weak = 0.2f;    // one that is enough to go on with it
    // How long a track that nobody sees is waited for. Time counts, not frames.
    double patience = 1.5;
    bool looks = true;  // what things look like counts, if the detector says it
};

// For detections above a threshold that somebody has chosen.
TrackerSettings tracking_for(float threshold);

// A thing that has been seen in several frames.
struct Track {
    uint32_t number = 0;          // from 1 on; 0 while it is not sure that there is something
    uint32_t label = 0;           // of most of its observations, the newer ones first
    double since = 0;             // the time when it was seen first
    double seen = 0;              // and last
    bool lost = false;            // nobody sees it now
    bool was_lost = false;        // in the frame before
    std::optional<double> found;  // again, the time when that was last
    BoxMotion motion;
    Rectangle box;   // as it was seen last
    float side = 0;  // of a square as large as the whole thing: what hides it makes its box shrink
    std::vector<float> look = {};
    float sureness = 0;      // all scores together, until it has a number
    float label_weight = 0;  // how sure its label is
};

// Gives the same number to the same thing from frame to frame. Tracks move as a Kalman filter
// expects; strong observations are given to tracks first, and those that are left may have a weak
// one (ByteTrack, Zhang and others 2022). What a thing looks like to the detector, and its label,
// say who is who where things cross or come back.
//
// Nothing depends on anything but the observations in their order. Once it has seen the most things
// that there ever are at a time, it takes no more memory.
class Tracker {
public:
    explicit Tracker(const TrackerSettings& settings = {}) : settings_(settings) {}

    void use(const TrackerSettings& settings) { settings_ = settings; }
    // The next frame. If its time is before the last one's, the source has begun again, and nothing
    // is waited for any more. The number of each thing's track, 0 if it has none (yet).
    std::span<const uint32_t> step(const Observations& frame);

    // All that are waited for, the oldest first.
    std::span<const Track> tracks() const { return tracks_; }
    uint32_t numbers() const { return numbers_; }  // that have been given so far
    uint32_t found_again() const { return found_again_; }
    double time() const { return time_; }  // of the last frame

private:
    enum class Round { strong, weak };

    void advance(double time);
    void learn_strangers(const Observations& frame);
    void match(const Observations& frame, Round round);
    float cost_of(const Track& track, const Observations& frame, size_t thing, Round round) const;
    void see(Track& track, const Observations& frame, size_t thing);
    bool is_cut(const Observations& frame) const;
    void forget_all();
    void begin_tracks(const Observations& frame);
    void forget_lost(double time);

    TrackerSettings settings_;
    std::vector<Track> tracks_;
    std::vector<std::vector<float>> spare_looks_;
    double time_ = 0;
    float strangers_ = 0.5f;  // how much things look alike that are not the same
    uint32_t numbers_ = 0, found_again_ = 0;

    Assignment assignment_;
    std::vector<float> costs_;
    std::vector<uint32_t> rows_, columns_;  // who is left for a round
    std::vector<uint32_t> track_of_;        // of each thing: its place in tracks_
    std::vector<char> taken_;               // tracks that have been seen in this frame
    std::vector<uint32_t> result_;
};

}  // namespace saccade
