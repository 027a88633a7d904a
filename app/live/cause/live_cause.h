#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/live/cause/cause_study.h"

namespace saccade {

// What people want to know of the picture that is shown: the window's views and viewers of pages.
struct CauseAsk {
    Looker looker;
    bool held = false;                     // its map gets finer although the picture moves
    const AttentionSeen* shown = nullptr;  // a map of attention that is to be measured, too
};

// Finds out what answers need while a live loop has nothing else to do. Maps are of one picture
// each; while the picture moves, the next map is of the newest one.
class LiveCause {
public:
    explicit LiveCause(Engine& engine) : engine_(engine) {}

    // The picture that is shown, and what models have found in it.
    struct Scene {
        CausePicture picture;
        const FrameResult& found;
        const Caption& caption;
        bool stands = false;
    };
    // These models run, without these heads. What is known of others is forgotten. They must
    // outlive this, or be replaced before.
    void use(const Models& models, const HeadsOff& off);

    // Works for about `ms`, no less than a batch if the picture stands. The asks take turns. True
    // if more is known now.
    bool work(const Scene& scene, std::span<const CauseAsk> asks, double ms);
    // Whether all that was asked for in the last call is known.
    bool done() const { return done_; }

    // What is known of a target; null if nothing is.
    const CauseSeen* seen(const Looker& looker, const FrameResult& found,
                          const Caption& caption) const;

private:
    // One for each target that is asked for, whoever asks.
    struct Entry {
        std::unique_ptr<CauseStudy> study;
        uint64_t asked = 0;  // in which call
        uint64_t runs = 0;   // calls in which it went on
        double run_ms = 0;   // that a knock-out takes; 0: not known yet
    };
    static constexpr size_t most_studies = 4, most_refused = 64;

    Entry* find(const CauseTarget& target);
    Entry* make(const Scene& scene, const CauseTarget& target);
    void refuse(const CauseTarget& target, const std::string& why);
    bool work_on(const CauseTarget& target, const Scene& scene, const CauseAsk& ask, double ms);
    bool go_on(Entry& entry, const Scene& scene, const CauseAsk& ask, double ms);

    Engine& engine_;
    Models models_;
    HeadsOff off_;
    std::vector<Entry> studies_;
    uint64_t calls_ = 0;
    size_t turn_ = 0;
    bool done_ = true;
    // Targets that cannot be explained, because the model looks at tiles or there is no memory.
    std::vector<std::pair<CauseTarget, CauseSeen>> refused_;
};

}  // namespace saccade
