#pragma once

#include <optional>

#include "app/live/state/status.h"
#include "app/pipeline/frame_order.h"
#include "app/track/frame_tracker.h"
#include "app/track/identity_score.h"

namespace saccade {

// Tracks of the loop's detections while they are wanted, and the track that was clicked.
class LiveTracking {
public:
    bool active() const { return tracker_.has_value(); }
    // Whether it counts in these regions already.
    bool counts_in(const Regions& regions) const { return active() && regions_ == regions; }
    // Tracks from now on, or goes on with other regions. No frame may be on its way unless it is
    // active() already; the same for stop().
    void start(const TrackerSettings& settings, const Regions& regions);
    void stop();
    void use(const TrackerSettings& settings) { tracker_->use(settings); }

    // Follows the track of the query that was clicked in the picture `before`.
    void follow(std::optional<uint32_t> query, const FrameResult& before);
    // Has a frame tracked. Attention is of the followed track's query, whichever that is by then.
    void add_to(FrameOrder& order);
    void score(const Done& shown);
    void report(Status& status) const;
    // IDF1 and MOTA, which take longer to compute.
    void report_score(TrackStatus& tracks) const;

private:
    std::optional<FrameTracker> tracker_;
    IdentityScore identities_;
    Regions regions_;                         // that the tracker counts in
    uint32_t followed_ = 0;                   // the number of the clicked track; 0: none
    std::optional<uint32_t> followed_query_;  // the query that it had then
};

}  // namespace saccade
