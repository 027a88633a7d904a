#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "app/live/state/status.h"
#include "app/pipeline/frame_order.h"
#include "app/serve/change_queue.h"

namespace saccade {

// The maps of attention that viewers look at. All of them together take a small part of the
// device's time: if they would take more, each viewer's map is computed with some of the frames
// only, and goes on to be shown with the others. Those whose maps have taken the least time come
// first, so a viewer with costly maps has fewer of them.
class LookTurns {
public:
    using Clock = LoopShare::Clock;

    // The looks for the next frame, with `due` set for the maps that it computes. Another choice of
    // layers delays frames, so it waits for `changes`.
    std::vector<RemoteLook> choose(std::vector<RemoteLook> wanted, bool frozen,
                                   ChangeQueue& changes, Clock::time_point now);
    // Takes the maps of a frame that has been shown. `repeated`: it was shown before.
    void take(std::span<const MapOnHost> maps, bool repeated, double earned_ms);
    // The models or the source have changed.
    void forget_maps();
    // The newest map of each viewer that looks.
    std::vector<MapOnHost> maps() const;

    // The device time that all maps of a frame may take: part of the time that the frame takes
    // without them, and of the time that the device waits for the next one.
    static double earned_ms(const FrameResult& result, const Status& status);
    static constexpr size_t most_at_once = 8;  // maps of one frame

private:
    // Looks with the same layers need no new recording of the models.
    struct Layers {
        MapModel model = MapModel::detector;
        int target = 0, kind = 0;
        uint32_t layer = 0;
        bool operator==(const Layers&) const = default;
    };
    static Layers layers_of(const RemoteLook& look);

    struct Viewer {
        std::optional<RemoteLook> look = {};            // as it was admitted
        std::optional<Clock::time_point> on_word = {};  // since when a word is the target
        uint64_t turn = 0;                              // when its layers changed for the last time
        // The version of the look that the map is of; 0: the newest frame has none.
        uint64_t shown = 0;
        double spent_ms = 0, cost_ms = 0;  // of all maps, of the last
        std::optional<MapOnHost> map = {};
    };

    void meet(const std::vector<RemoteLook>& wanted);
    void admit(std::vector<RemoteLook>& wanted, bool frozen, ChangeQueue& changes,
               Clock::time_point now);
    bool admits_layers(const RemoteLook& look, ChangeQueue& changes, Clock::time_point now) const;

    std::map<uint32_t, Viewer> viewers_;  // also those who have looked before
    double credit_ms_ = 0;
    uint64_t versions_ = 0, turns_ = 0;
};

}  // namespace saccade
