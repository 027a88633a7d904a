#include "app/live/cause/live_cause.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>

#include "gpu/core/check.h"
#include "gpu/core/error.h"

namespace saccade {

namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

}  // namespace

void LiveCause::use(const Models& models, const HeadsOff& off) {
    studies_.clear();
    refused_.clear();
    models_ = models;
    off_ = off;
}

LiveCause::Entry* LiveCause::find(const CauseTarget& target) {
    for (Entry& entry : studies_)
        if (entry.study->target() == target) return &entry;
    return nullptr;
}

const CauseSeen* LiveCause::seen(const Looker& looker, const FrameResult& found,
                                 const Caption& caption) const {
    const std::optional<CauseTarget> target = target_of(looker, models_, found, caption);
    if (!target) return nullptr;
    for (const Entry& entry : studies_)
        if (entry.study->target() == *target) return &entry.study->seen();
    for (const auto& [other, seen] : refused_)
        if (other == *target) return &seen;
    return nullptr;
}

void LiveCause::refuse(const CauseTarget& target, const std::string& why) {
    std::erase_if(studies_, [&](const Entry& entry) { return entry.study->target() == target; });
    if (refused_.size() == most_refused) refused_.erase(refused_.begin());
    CauseSeen seen{.model = target.model, .kind = target.kind, .label = target.label};
    seen.trouble = why;
    refused_.emplace_back(target, std::move(seen));
    spdlog::warn("what '{}' needs cannot be found out: {}", target.label, why);
}

// Null if all places are taken by others who ask, or the target cannot be explained.
LiveCause::Entry* LiveCause::make(const Scene& scene, const CauseTarget& target) {
    for (const auto& [other, seen] : refused_)
        if (other == target) return nullptr;
    if (studies_.size() == most_studies) {
        const auto oldest = std::ranges::min_element(studies_, {}, &Entry::asked);
        if (oldest->asked + 1 >= calls_) return nullptr;
        studies_.erase(oldest);
    }
    studies_.push_back(
        {std::make_unique<CauseStudy>(engine_, models_, off_, target, scene.picture), calls_});
    return &studies_.back();
}

bool LiveCause::go_on(Entry& entry, const Scene& scene, const CauseAsk& ask, double ms) {
    CauseStudy& study = *entry.study;
    using Depth = CauseStudy::Depth;
    const Depth depth = scene.stands ? Depth::all : ask.held ? Depth::finer : Depth::coarse;
    const double each = entry.run_ms;
    const uint32_t batch = study.at_once();
    const auto batches = each > 0 ? std::max<double>(1, std::floor(ms / (each * batch))) : 1;
    const auto most = static_cast<uint32_t>(std::min(batches * batch, 1024.0));
    const auto begin = Clock::now();
    if (!study.go_on(most, depth, ask.shown)) return false;
    const double took = ms_since(begin) / most;
    // The first one also recorded the model and made pipelines.
    if (entry.runs++ > 0) entry.run_ms = each > 0 ? std::min(took, 0.8 * each + 0.2 * took) : took;
    return true;
}

bool LiveCause::work_on(const CauseTarget& target, const Scene& scene, const CauseAsk& ask,
                        double ms) {
    Entry* entry = find(target);
    if (!entry) entry = make(scene, target);
    if (!entry) return false;
    CauseStudy& study = *entry->study;
    // A moving picture does not wait for more than there is time for.
    if (!scene.stands && entry->run_ms * study.at_once() > ms) return false;
    const bool other = study.picture() != scene.picture.number;
    if (other && scene.stands) study.begin(target, scene.picture);
    if (go_on(*entry, scene, ask, ms)) return true;
    // A moving picture's map is finished before the next one begins.
    if (!other || scene.stands) return false;
    study.begin(target, scene.picture);
    return go_on(*entry, scene, ask, ms);
}

bool LiveCause::work(const Scene& scene, std::span<const CauseAsk> asks, double ms) {
    ++calls_;
    done_ = true;
    for (const CauseAsk& ask : asks)
        if (const auto target = target_of(ask.looker, models_, scene.found, scene.caption))
            if (Entry* const entry = find(*target)) entry->asked = calls_;
    for (size_t i = 0; i < asks.size(); ++i) {
        const CauseAsk& ask = asks[(turn_ + i) % asks.size()];
        const std::optional<CauseTarget> target =
            target_of(ask.looker, models_, scene.found, scene.caption);
        if (!target) continue;
        try {
            if (!work_on(*target, scene, ask, ms)) continue;
        } catch (const DeviceLost&) {
            throw;
        } catch (const Error& error) {
            // The picture goes on without.
            refuse(*target, error.what());
            continue;
        }
        done_ = false;
        turn_ = (turn_ + i + 1) % asks.size();
        return true;
    }
    return false;
}

}  // namespace saccade
