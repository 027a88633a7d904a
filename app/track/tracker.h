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
    float strong = 0.5f;     // the score above which a detection may start a track
    float weak = 0.2f;       // the score above which it may continue one
    double patience = 1.5;   // seconds after which a lost track is dropped
    bool embeddings = true;  // use the detector's appearance embeddings, if it has them
};

// Settings for a detection threshold.
TrackerSettings tracking_for(float threshold);

// An object that is followed from frame to frame.
struct Track {
    uint32_t number = 0;          // its id, from 1 on; 0 while the track is tentative
    uint32_t label = 0;           // by vote of its detections, recent ones first
    double since = 0;             // time of the first detection
    double seen = 0;              // time of the last detection
    bool lost = false;            // not detected in the current frame
    bool was_lost = false;        // not detected in the frame before
    std::optional<double> found;  // time when it was last found again
    BoxMotion motion;
    Rectangle box;   // of the last detection
    float side = 0;  // side of a square as large as the object; an occluder only shrinks its box
    std::vector<float> embedding = {};
    float sureness = 0;      // sum of its scores, until it has a number
    float label_weight = 0;  // of the vote for its label
};

// Tracking by detection: a Kalman filter predicts each track's box; strong detections are assigned
// first, and weak ones to the tracks that are left (ByteTrack, Zhang et al. 2022). The detector's
// appearance embeddings and labels tell objects apart that cross or come back.
//
// The result depends only on the observations and their order. The tracker allocates no memory once
// it has seen its largest frame.
class Tracker {
public:
    explicit Tracker(const TrackerSettings& settings = {}) : settings_(settings) {}

    void use(const TrackerSettings& settings) { settings_ = settings; }
    // Tracks the next frame. A time before the last frame's means that the source has restarted,
    // and drops all tracks. Returns the number of each detection's track; 0 if it has none (yet).
    std::span<const uint32_t> step(const Observations& frame);

    // All live and lost tracks, the oldest first.
    std::span<const Track> tracks() const { return tracks_; }
    uint32_t numbers() const { return numbers_; }  // the largest number given so far
    uint32_t found_again() const { return found_again_; }
    // Whether the last frame began another scene: all tracks before it have been dropped.
    bool began_anew() const { return began_anew_; }
    double time() const { return time_; }  // of the last frame

private:
    enum class Round { strong, weak };

    void advance(const Observations& frame);
    void learn_strangers(const Observations& frame);
    void match(const Observations& frame, Round round);
    float cost_of(const Track& track, const Observations& frame, size_t detection,
                  Round round) const;
    void update(Track& track, const Observations& frame, size_t detection);
    bool is_cut(const Observations& frame) const;
    void forget_all();
    void begin_tracks(const Observations& frame);
    void forget_lost(double time);

    TrackerSettings settings_;
    std::vector<Track> tracks_;
    std::vector<std::vector<float>> spare_embeddings_;
    double time_ = 0;
    float strangers_ = 0.5f;  // the mean cosine between embeddings of different objects
    uint32_t numbers_ = 0, found_again_ = 0;
    bool began_anew_ = false;

    Assignment assignment_;
    std::vector<float> costs_;
    std::vector<uint32_t> rows_, columns_;  // detections and tracks that a round assigns
    std::vector<uint32_t> track_of_;        // index into tracks_ of each detection
    std::vector<char> taken_;               // whether each track has a detection in this frame
    std::vector<uint32_t> result_;
};

}  // namespace saccade
