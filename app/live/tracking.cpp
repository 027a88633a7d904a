#include "app/live/tracking.h"

#include <algorithm>

#include "app/pipeline/attention_choice.h"

namespace saccade {

void LiveTracking::start(const TrackerSettings& settings, const Regions& regions) {
    if (!tracker_) {
        stop();
        tracker_.emplace(settings);
    }
    tracker_->count_in(regions_ = regions);
}

void LiveTracking::stop() {
    tracker_.reset();
    identities_ = {};
    followed_ = 0;
    followed_query_.reset();
}

void LiveTracking::follow(std::optional<uint32_t> query, const FrameResult& before) {
    if (!tracker_ || query == followed_query_) return;
    followed_query_ = query;
    followed_ = 0;
    for (size_t i = 0; i < before.tracks.size(); ++i)
        if ((*before.detections)[i].query == query) followed_ = before.tracks[i];
}

void LiveTracking::add_to(FrameOrder& order) {
    if (!tracker_) return;
    order.tracker = &*tracker_;
    const bool maps_follow =
        std::ranges::any_of(order.maps, [](const MapOrder& map) { return map.track > 0; });
    if (followed_ == 0 && !maps_follow) return;
    order.decide = [number = followed_](FrameOrder& frame_order, const FrameResult& known) {
        if (number > 0) look_from_track(frame_order, known, number);
        for (MapOrder& map : frame_order.maps) look_from_track(map, known);
        if (number > 0 && frame_order.second &&
            frame_order.second->looker.token == Looker::Token::query)
            frame_order.second->looker = frame_order.looker;
    };
}

void LiveTracking::score(const Done& shown) {
    if (tracker_ && shown.detected && shown.first_look) identities_.add(shown.result);
}

void LiveTracking::report(Status& status) const {
    if (!tracker_) return status.tracks.reset();
    if (!status.tracks) status.tracks.emplace();
    TrackStatus& tracks = *status.tracks;
    tracks.seen = tracks.lost = 0;
    tracks.lost_numbers.clear();
    tracks.found_numbers.clear();
    tracks.followed = followed_;
    tracks.state = TrackStatus::Followed::gone;
    const Tracker& tracker = tracker_->tracker();
    for (const Track& track : tracker.tracks()) {
        if (track.number == 0) continue;
        ++(track.lost ? tracks.lost : tracks.seen);
        if (track.lost) tracks.lost_numbers.push_back(track.number);
        if (!track.lost && track.found && tracker.time() - *track.found < Trail::seconds)
            tracks.found_numbers.push_back(track.number);
        if (track.number == followed_)
            tracks.state = track.lost ? TrackStatus::Followed::lost : TrackStatus::Followed::seen;
    }
    tracks.numbers = tracker.numbers();
    tracks.found_again = tracker.found_again();
    if (const RegionCounter* counter = tracker_->counter()) tracks.counts = counter->counts();
}

void LiveTracking::report_score(TrackStatus& tracks) const {
    tracks.idf1 = identities_.idf1();
    tracks.mota = identities_.mota();
    tracks.switches = identities_.switches();
}

}  // namespace saccade
