#pragma once

#include <map>
#include <string>

#include "app/live/clips/clip_recorder.h"
#include "app/live/wall/audience.h"

namespace saccade {

// Keeps clips of a source: of zones that are entered, lines that are crossed, and phrases of --find
// that are found after they were not seen for a while. Other viewers of the source are served, too.
class ClipKeeper : public Audience {
public:
    // `others` may be null.
    ClipKeeper(ClipStore& store, std::string source, Audience* others)
        : recorder_(store, std::move(source)), others_(others) {}

    void add_wishes(Wishes& wishes, Events& events) override;
    void show(const LiveLoop& loop, const Wishes& wishes, bool new_picture) override;

private:
    std::vector<std::string> happened_in(const LiveLoop& loop);

    ClipRecorder recorder_;
    Audience* const others_;
    std::map<uint32_t, double> found_;  // when each phrase was seen last
};

}  // namespace saccade
