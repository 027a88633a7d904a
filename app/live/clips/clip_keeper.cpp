#include "app/live/clips/clip_keeper.h"

#include <chrono>

namespace saccade {

namespace {

constexpr double away = 10;  // seconds after which a phrase is found anew

double seconds_of(const FrameInfo& frame) {
    return std::chrono::duration<double>(frame.captured.time_since_epoch()).count();
}

}  // namespace

void ClipKeeper::add_wishes(Wishes& wishes, Events& events) {
    if (others_) others_->add_wishes(wishes, events);
    wishes.remote.planes = true;
}

void ClipKeeper::show(const LiveLoop& loop, const Wishes& wishes, bool new_picture) {
    if (others_) others_->show(loop, wishes, new_picture);
    const std::optional<Done>& shown = loop.shown();
    if (!new_picture || !shown || shown->repeated || !shown->planes.memory) return;
    recorder_.add(shown->planes, seconds_of(shown->result.info), happened_in(loop));
}

std::vector<std::string> ClipKeeper::happened_in(const LiveLoop& loop) {
    const FrameResult& result = loop.shown()->result;
    const auto label = [&](uint32_t id) { return loop.shown()->labels->detector[id]; };
    std::vector<std::string> happened;
    for (const RegionEvent& event : result.events) {
        const RegionCounts& region = result.counts.at(event.region);
        if (region.zone && !event.in) continue;
        happened.push_back(label(event.label) +
                           (region.zone ? " entered "
                            : event.in  ? " crossed into "
                                        : " crossed out of ") +
                           region.name);
    }
    const Detector* const detector = loop.models().detector;
    if (!detector || !detector->phrases() || !loop.shown()->detected) return happened;
    const double now = seconds_of(result.info);
    for (const Detection& one : *result.detections) {
        const auto [last, first] = found_.try_emplace(one.id, now);
        if (first || now - last->second > away) happened.push_back(label(one.id) + " was found");
        last->second = now;
    }
    return happened;
}

}  // namespace saccade
