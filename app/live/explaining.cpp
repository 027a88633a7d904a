#include "app/live/explaining.h"

#include <cstdio>

namespace saccade {

namespace {

using namespace std::chrono_literals;

constexpr auto redraw_interval = 250ms;  // drawing takes time that knock-outs could have

SignedMap map_of(const CauseSeen& seen) {
    char line[96];
    std::snprintf(line, sizeof line, "\" %.0f %%, %u knock-outs", 100 * seen.score,
                  seen.knock_outs);
    return {seen.geometry, seen.cells, {name_of(seen.model) + ", cause", "\"" + seen.label + line}};
}

}  // namespace

void LiveExplaining::use(const Models& models, const HeadsOff& off) {
    cause_.use(models, off);
    models_ = models;
    off_ = off;
}

const CauseSeen* LiveExplaining::seen(const Looker& looker, const FrameResult& found,
                                      const Caption& caption) const {
    const CauseSeen* const known = cause_.seen(looker, found, caption);
    return known && !known->cells.empty() ? known : nullptr;
}

void LiveExplaining::add_to(FrameOrder& order, const Wishes& wishes, const FrameResult* found,
                            const Caption& caption) {
    const auto draws = [](const AttentionState& attention) {
        return attention.mode == AttentionMode::cause;
    };
    views_ = {};
    views_[0] = {draws(order.attention) || wishes.look.meter, draws(order.attention), order.looker};
    if (order.second && !order.second->bare && draws(order.second->attention))
        views_[1] = {true, true, order.second->looker};
    viewers_.clear();
    for (const MapOrder& map : order.maps)
        if (draws(map.attention)) viewers_.push_back(map);
    if (!found) return;
    const auto add = [&](auto& to) {
        const CauseSeen* const known = seen(to.looker, *found, caption);
        if (!known) return;
        to.effects = map_of(*known);
        const auto target = target_of(to.looker, models_, *found, caption);
        if (target->model == HeadOff::Of::detector)
            to.overlay.selected_query = target->detection.query;
    };
    if (views_[0].draws) add(order);
    if (views_[1].draws) add(*order.second);
}

void LiveExplaining::add_maps(Done& shown, const Caption& caption) {
    for (const MapOrder& wanted : viewers_) {
        MapOnHost& map = shown.maps.emplace_back();
        map.looker = wanted.looker;
        map.whose = wanted.whose;
        map.version = wanted.version;
        const CauseSeen* const known = cause_.seen(wanted.looker, shown.result, caption);
        if (!known) continue;
        map.cause = *known;
        map.geometry = known->geometry;
        map.count = known->cells.empty() ? 0 : 1;
        map.cells = known->cells;
    }
}

bool LiveExplaining::work(const Done& shown, const MaskedPicture& picture, const Caption& caption,
                          bool stands, bool held, double ms) {
    const FrameInfo& info = shown.result.info;
    if (info.captured != captured_) ++picture_;
    captured_ = info.captured;
    if (asks_nothing() || ms <= 0) return false;
    // Models that are prepared for frames of another size have other recordings.
    if (size_ != info.size) cause_.use(models_, off_);
    size_ = info.size;
    std::vector<CauseAsk> asks;
    const AttentionSeen* attention = nullptr;
    for (const auto* seen : {&shown.attention, shown.second ? &shown.second->attention : nullptr})
        if (seen && *seen && is_kept((*seen)->mode)) attention = &**seen;
    for (const View& view : views_)
        if (view.asks) asks.push_back({view.looker, held, attention});
    for (const MapOrder& viewer : viewers_) asks.push_back({viewer.looker, held});
    const LiveCause::Scene scene{{picture_, picture, info.captured}, shown.result, caption, stands};
    const bool worked = cause_.work(scene, asks, ms);
    // What is only measured is told by the status: nothing is drawn of it.
    const bool draws = views_[0].draws || views_[1].draws || !viewers_.empty();
    news_ = news_ || (worked && draws);
    if (!news_ || !stands) return false;
    const auto now = std::chrono::steady_clock::now();
    if (worked && now - drawn_ < redraw_interval) return false;
    news_ = false;
    drawn_ = now;
    return true;
}

void LiveExplaining::report(Status& status, const FrameResult* found,
                            const Caption& caption) const {
    status.causes = {};
    for (size_t i = 0; i < views_.size() && found; ++i)
        if (views_[i].asks)
            if (const CauseSeen* const known = cause_.seen(views_[i].looker, *found, caption))
                status.causes[i] = *known;
}

}  // namespace saccade
