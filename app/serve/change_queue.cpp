#include "app/serve/change_queue.h"

#include <algorithm>

namespace saccade {

namespace {

constexpr size_t most_viewers = 256;  // whose last turns are remembered

void take_over(auto& to, const auto& from) {
    if (from) to = from;
}

// Later wishes win.
void merge(SharedWish& to, const SharedWish& from) {
    to.viewer = from.viewer;
    take_over(to.detector, from.detector);
    take_over(to.classifier, from.classifier);
    take_over(to.captioner, from.captioner);
    take_over(to.source, from.source);
    take_over(to.find, from.find);
    take_over(to.labels, from.labels);
    take_over(to.question, from.question);
    take_over(to.seek, from.seek);
    take_over(to.regions, from.regions);
    to.lecture = to.lecture || from.lecture;
    for (const auto& [name, on] : from.switches) to.switches[name] = on;
    if (from.heads_on) {
        to.heads_on = true;
        to.heads.clear();
    }
    for (const auto& [head, off] : from.heads) to.heads[head] = off;
}

// Whoever freezes the picture means the one that is seen at this moment.
constexpr const char* freeze = "frozen";

SharedWish free_part(const SharedWish& wish) {
    SharedWish part{.viewer = wish.viewer,
                    .threshold = wish.threshold,
                    .detector_stride = wish.detector_stride,
                    .classifier_stride = wish.classifier_stride,
                    .least_scores = wish.least_scores};
    if (const auto frozen = wish.switches.find(freeze); frozen != wish.switches.end())
        part.switches.insert(*frozen);
    return part;
}
SharedWish quick_part(const SharedWish& wish) {
    SharedWish part{.viewer = wish.viewer,
                    .switches = wish.switches,
                    .seek = wish.seek,
                    .regions = wish.regions,
                    .heads_on = wish.heads_on,
                    .heads = wish.heads};
    part.switches.erase(freeze);
    return part;
}
SharedWish slow_part(const SharedWish& wish) {
    return {.viewer = wish.viewer,
            .detector = wish.detector,
            .classifier = wish.classifier,
            .captioner = wish.captioner,
            .source = wish.source,
            .find = wish.find,
            .labels = wish.labels,
            .question = wish.question,
            .lecture = wish.lecture};
}

bool wishes_something(const SharedWish& wish) { return wish != SharedWish{.viewer = wish.viewer}; }

}  // namespace

void ChangeQueue::add(const SharedWish& wish) {
    if (wish.viewer == 0) return at_once_.push_back(wish);  // the server's own
    if (const SharedWish part = free_part(wish); wishes_something(part)) at_once_.push_back(part);
    if (const SharedWish part = quick_part(wish); wishes_something(part))
        merge(quick_waiting_[wish.viewer], part);
    if (const SharedWish part = slow_part(wish); wishes_something(part))
        merge(slow_waiting_[wish.viewer], part);
}

bool ChangeQueue::begin(LoopShare& share, Clock::time_point now) {
    if (stands_) return true;
    if (!share.allows(now)) return false;
    share.begin();
    return true;
}

std::optional<SharedWish> ChangeQueue::next(Waiting& waiting, LoopShare& share,
                                            Clock::time_point now) {
    if (waiting.empty() || !begin(share, now)) return std::nullopt;
    const auto first = std::ranges::min_element(
        waiting, {}, [&](const auto& one) { return last_turn_[one.first]; });
    SharedWish wish = std::move(first->second);
    waiting.erase(first);
    if (last_turn_.size() > most_viewers) last_turn_.clear();
    last_turn_[wish.viewer] = ++turns_;
    return wish;
}

std::vector<SharedWish> ChangeQueue::take(Clock::time_point now) {
    std::vector<SharedWish> due = std::exchange(at_once_, {});
    // A source before what was drawn on it.
    if (std::optional<SharedWish> wish = next(slow_waiting_, slow_, now))
        due.push_back(std::move(*wish));
    if (std::optional<SharedWish> wish = next(quick_waiting_, quick_, now))
        due.push_back(std::move(*wish));
    return due;
}

void ChangeQueue::forget_regions() {
    for (auto& [viewer, wish] : quick_waiting_) wish.regions.reset();
}

std::vector<uint32_t> ChangeQueue::waiting() const {
    std::vector<uint32_t> viewers;
    for (const Waiting* const of : {&slow_waiting_, &quick_waiting_})
        for (const auto& [viewer, wish] : *of)
            if (std::ranges::find(viewers, viewer) == viewers.end()) viewers.push_back(viewer);
    return viewers;
}

bool ChangeQueue::may_change_maps(Clock::time_point now) { return begin(quick_, now); }

void ChangeQueue::stepped(bool new_frame, bool stands, bool loading, Clock::time_point now) {
    stands_ = stands;
    if (loading) slow_.go_on();
    if (stands) last_frame_.reset();
    if (!new_frame || stands) return;
    if (last_frame_) {
        const double interval = std::chrono::duration<double>(now - *last_frame_).count();
        const bool disturbed = quick_.disturbed() || slow_.disturbed();
        quick_.frame(interval, usual_.seconds());
        slow_.frame(interval, usual_.seconds());
        if (!disturbed || usual_.seconds() == 0 || interval < usual_.seconds())
            usual_.add(interval);
    }
    last_frame_ = now;
}

}  // namespace saccade
