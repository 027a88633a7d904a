#include "app/serve/look_turns.h"

#include <algorithm>

namespace saccade {

namespace {

using namespace std::chrono_literals;

constexpr auto longest_on_a_word = 20s;  // while a word is a target, no other caption begins
constexpr double first_cost_ms = 1;      // of a map that has not been computed yet
constexpr double share = 0.08, share_of_idle = 0.5;
constexpr double frames_saved_up = 4;    // shares of frames that maps have not used
constexpr size_t most_remembered = 128;  // viewers

}  // namespace

LookTurns::Layers LookTurns::layers_of(const RemoteLook& look) {
    const Target& target = look.target;
    Layers layers{.model = look.model};
    layers.target = target.word ? 1 : target.phrase ? 2 : target.query ? 3 : target.point ? 4 : 0;
    if (has_layers(look.attention.mode))
        layers.layer = look.attention.layer;
    else
        layers.kind = look.attention.mode == AttentionMode::rollout ? 1 : 2;
    return layers;
}

bool LookTurns::admits_layers(const RemoteLook& look, ChangeQueue& changes,
                              Clock::time_point now) const {
    const Layers layers = layers_of(look);
    for (const auto& [number, viewer] : viewers_)
        if (viewer.look && layers_of(*viewer.look) == layers) return true;
    return changes.may_change_maps(now);
}

void LookTurns::meet(const std::vector<RemoteLook>& wanted) {
    double least = 0;  // that a viewer has spent who looks
    for (auto& [number, viewer] : viewers_) {
        if (std::ranges::find(wanted, number, &RemoteLook::viewer) == wanted.end()) {
            viewer.look.reset();
            viewer.map.reset();
        } else {
            least = least == 0 ? viewer.spent_ms : std::min(least, viewer.spent_ms);
        }
    }
    if (viewers_.size() > most_remembered)
        std::erase_if(viewers_, [](const auto& one) { return !one.second.look; });
    // One who comes later is not ahead of those who are here.
    for (const RemoteLook& look : wanted)
        viewers_.try_emplace(look.viewer, Viewer{.spent_ms = least});
}

// Replaces each look by the one that its viewer has now: the wanted one, or the one before until
// the loop has time for other layers.
void LookTurns::admit(std::vector<RemoteLook>& wanted, bool frozen, ChangeQueue& changes,
                      Clock::time_point now) {
    meet(wanted);
    std::ranges::sort(wanted, {},
                      [&](const RemoteLook& look) { return viewers_.at(look.viewer).turn; });
    for (RemoteLook& look : wanted) {
        Viewer& viewer = viewers_.at(look.viewer);
        if (!look.target.word)
            viewer.on_word.reset();
        else if (!viewer.on_word)
            viewer.on_word = now;
        else if (now - *viewer.on_word > longest_on_a_word && !frozen)
            look.target.word.reset();
        if (viewer.look) {
            look.version = viewer.look->version;
            look.due = viewer.look->due;
        }
        if (viewer.look == look) continue;
        const bool same_layers = viewer.look && layers_of(*viewer.look) == layers_of(look);
        if (!same_layers) {
            if (!admits_layers(look, changes, now)) continue;
            viewer.turn = ++turns_;
        }
        viewer.look = look;
        viewer.look->version = ++versions_;
    }
}

std::vector<RemoteLook> LookTurns::choose(std::vector<RemoteLook> wanted, bool frozen,
                                          ChangeQueue& changes, Clock::time_point now) {
    admit(wanted, frozen, changes, now);
    std::vector<Viewer*> looking, due;
    for (auto& [number, viewer] : viewers_) {
        if (!viewer.look) continue;
        looking.push_back(&viewer);
        if (!frozen || viewer.look->version != viewer.shown) due.push_back(&viewer);
    }
    // On a picture that stands still, other looks would draw it again; with no map due, they stay.
    if (!frozen || !due.empty()) {
        for (Viewer* const viewer : looking) viewer->look->due = false;
        std::ranges::stable_sort(due, {}, &Viewer::spent_ms);
        double left = credit_ms_;
        size_t count = 0;
        for (Viewer* const viewer : due) {
            if (count++ == most_at_once || (!frozen && left <= 0)) break;
            viewer->look->due = true;
            left -= viewer->cost_ms > 0 ? viewer->cost_ms : first_cost_ms;
        }
    }
    std::vector<RemoteLook> looks;
    for (const Viewer* const viewer : looking) looks.push_back(*viewer->look);
    return looks;
}

double LookTurns::earned_ms(const FrameResult& result, const Status& status) {
    double frame_ms = 0;
    for (const auto& [stage, took] : result.ms)
        if (stage != "attention" && stage != "decode") frame_ms += took;
    const double rate = status.frames_per_second;
    return share * frame_ms + (rate > 0 ? share_of_idle * status.gpu_idle * 1000 / rate : 0);
}

void LookTurns::take(std::span<const MapOnHost> maps, bool repeated, double earned_ms) {
    if (!repeated)
        for (auto& [number, viewer] : viewers_) viewer.shown = 0;
    for (const MapOnHost& map : maps) {
        if (!repeated) credit_ms_ -= map.ms;  // else no frame waits
        const auto found = viewers_.find(map.whose);
        if (found == viewers_.end()) continue;
        Viewer& viewer = found->second;
        viewer.spent_ms += map.ms;
        viewer.cost_ms = map.ms;
        viewer.shown = map.version;
        viewer.map = map;
    }
    if (!repeated) credit_ms_ = std::min(credit_ms_ + earned_ms, frames_saved_up * earned_ms);
}

void LookTurns::forget_maps() {
    for (auto& [number, viewer] : viewers_) {
        viewer.map.reset();
        viewer.shown = 0;
    }
}

std::vector<MapOnHost> LookTurns::maps() const {
    std::vector<MapOnHost> maps;
    for (const auto& [number, viewer] : viewers_)
        if (viewer.look && viewer.map) maps.push_back(*viewer.map);
    return maps;
}

}  // namespace saccade
