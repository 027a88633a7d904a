#include "app/pipeline/paths_together.h"

#include <algorithm>
#include <utility>

namespace saccade {

namespace {

// How many recordings are kept: with few sources, the same frames often meet again.
constexpr size_t most_groups = 8;

bool goes_alone(const PathsTogether::Beginning& one) {
    const FrameOrder& order = one.order;
    return !order.models || one.path->models().captioner || !order.maps.empty() ||
           order.shows_attention() || order.compares_attention() || one.path->heads_are_off();
}

bool in_use(const LaneGroup& group) {
    return std::ranges::any_of(group.lanes, [&](const FrameLane* lane) {
        return lane->group == &group && lane->taken.has_value();
    });
}

}  // namespace

Ticket PathsTogether::begin(std::vector<Beginning> all) {
    Ticket last;
    while (!all.empty()) {
        // The frames that can run together with the first one.
        const Size size = all.front().frame.info().size;
        const bool alone = goes_alone(all.front());
        std::vector<Beginning> now, later;
        for (Beginning& one : all) {
            const bool fits =
                now.empty() || (!alone && !goes_alone(one) && one.frame.info().size == size);
            (fits ? now : later).push_back(std::move(one));
        }
        all = std::move(later);
        if (now.size() > 1) {
            last = begin_at_once(std::move(now));
        } else {
            FramePath& path = *now.front().path;
            path.begin(std::move(now.front().frame), std::move(now.front().order));
            last = path.on_their_way_.back()->group->seen;
        }
    }
    return last;
}

Ticket PathsTogether::begin_at_once(std::vector<Beginning> all) {
    std::vector<FramePath*> paths;
    Lanes lanes;
    LaneGroup* group = nullptr;
    try {
        for (Beginning& one : all) {
            lanes.push_back(&one.path->take(std::move(one.frame), one.order, false));
            paths.push_back(one.path);
        }
        std::vector<const Image*> images;
        for (const FrameLane* lane : lanes) {
            images.push_back(&lane->memory->image());
            if (!lane->fresh) continue;
            record_anew();  // an image that was there before is gone
            lane->home->images.clear();
        }
        group = &group_for(images);
        group->lanes = lanes;
        for (FrameLane* lane : lanes) lane->group = group;
        plan(*group, paths, lanes);
        group->submit();
        for (size_t i = 0; i < lanes.size(); ++i) paths[i]->was_submitted(*lanes[i]);
        group->have_run();
        for (size_t i = 0; i < lanes.size(); ++i)
            if (!paths[i]->needs_answers(*lanes[i])) paths[i]->conclude(*lanes[i]);
    } catch (...) {
        for (size_t i = 0; i < lanes.size(); ++i) paths[i]->drop(*lanes[i]);
        throw;
    }
    for (size_t i = 0; i < lanes.size(); ++i) paths[i]->on_their_way_.push_back(lanes[i]);
    for (FramePath* path : paths) path->conclude_before(*group);
    return group->seen;
}

void PathsTogether::plan(LaneGroup& group, const std::vector<FramePath*>& paths,
                         const Lanes& lanes) {
    const Models& models = paths.front()->models();
    KeptLayers kept;
    std::vector<const Image*> images;
    group.detected = group.classified = false;
    for (size_t i = 0; i < lanes.size(); ++i) {
        const FrameOrder& order = lanes[i]->order;
        images.push_back(&lanes[i]->memory->image());
        kept.queries = kept.queries || (order.tracker && models.detector);
        if (models.detector && (order.detect || !paths[i]->detected_)) group.detected = true;
        if (models.classifier && (order.classify || !paths[i]->classified_))
            group.classified = true;
    }
    if (group.kept != kept) group.keep(kept);
    if (group.images != images) {
        group.record(models, std::move(images));
        count_recording();
    }
    group.begin(lanes.size());
    for (size_t i = 0; i < lanes.size(); ++i) paths[i]->plan_lane(*lanes[i]);
}

LaneGroup& PathsTogether::group_for(const std::vector<const Image*>& images) {
    auto found = groups_.end();
    for (auto it = groups_.begin(); it != groups_.end(); ++it) {
        if (in_use(**it)) continue;
        if ((*it)->images == images)
            found = it;
        else if (found == groups_.end() && groups_.size() >= most_groups)
            found = it;  // the one that was not used for longest
    }
    if (found == groups_.end())
        found = groups_.insert(groups_.end(), std::make_unique<LaneGroup>(engine_, Lanes()));
    std::rotate(found, found + 1, groups_.end());
    engine_.device().wait(groups_.back()->seen, "models");
    return *groups_.back();
}

void PathsTogether::make_ready(FramePath& path, Size size) {
    if (sizes_.is(size)) return;
    if (sizes_.forgets_for(size)) {
        for (FramePath* other : paths_) other->come_to_rest();
        for (FramePath* other : paths_) other->record_anew();
    }
    sizes_.choose_none();  // what follows may throw half-way
    path.prepare_models(size);
    sizes_.choose(size, [] { return Nothing(); });
}

SentPicture PathsTogether::send_tiles(PictureRing& window, Size all) {
    std::vector<PictureRing::Part> tiles;
    for (const FramePath* path : paths_)
        if (const auto tile = path->tile_of(all)) tiles.push_back(*tile);
    SentPicture sent = window.send(all, tiles);
    tiles_sent_ = sent.ticket();
    return sent;
}

void PathsTogether::record_anew() {
    sizes_.choose_none();  // the models may be others
    for (const std::unique_ptr<LaneGroup>& group : groups_) group->forget_recording();
}

}  // namespace saccade
