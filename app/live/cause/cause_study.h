#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "app/cause/cause_seen.h"
#include "app/live/cause/cause_target.h"
#include "gpu/engine.h"
#include "models/knock_outs/cause_map.h"
#include "models/knock_outs/meter.h"

namespace saccade {

// A picture that a target is in.
struct CausePicture {
    uint64_t number = 0;  // another picture has another one
    MaskedPicture picture;
    std::chrono::steady_clock::time_point captured;
};

// Finds out what one target needs in one picture, a few knock-outs at a time: a coarse map, a finer
// one where it matters, the heads, the rest of the map, and what the map is worth.
class CauseStudy {
public:
    CauseStudy(Engine& engine, const Models& models, const HeadsOff& off, CauseTarget target,
               const CausePicture& picture);

    const CauseTarget& target() const { return target_; }
    uint64_t picture() const { return picture_; }
    // Begins anew with another picture of the same size, in which the target was found again. Words
    // cannot be found again: a caption belongs to one picture.
    void begin(const CauseTarget& target, const CausePicture& picture);

    // How far it goes.
    enum class Depth { coarse, finer, all };
    // Runs about `most` knock-outs; false if there was nothing left to do. `shown`: the map of
    // attention on the screen, which the meter then measures, too; null if there is none.
    bool go_on(uint32_t most, Depth depth, const AttentionSeen* shown);
    // How many knock-outs are run together.
    uint32_t at_once() const { return trials_->at_once(); }

    const CauseSeen& seen() const { return seen_; }

private:
    void take_map();
    bool go_on_with_heads(uint32_t most);
    bool go_on_with_meter(uint32_t most, const AttentionSeen* shown);
    void take_meter();

    CauseTarget target_;
    uint64_t picture_ = 0;
    bool quick_;  // something is to be seen soon, on a slow device
    std::unique_ptr<Trials> trials_;
    std::optional<CauseMap> map_;
    std::optional<HeadEffects> heads_;
    std::optional<Measurement> measurement_;
    std::vector<RankedMap> measured_;  // the maps that it measures
    CauseSeen seen_;
};

}  // namespace saccade
