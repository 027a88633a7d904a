#include "app/live/state/tour.h"

#include <glm/geometric.hpp>

namespace saccade {

namespace {

using namespace std::chrono_literals;

constexpr auto detection_time = 2500ms, word_time = 900ms, quick_word_time = 400ms;
constexpr float still = 3;  // pixels that a mouse may shake

}  // namespace

void Tour::see_mouse(glm::vec2 place) {
    if (!mouse_) mouse_ = place;
    if (glm::distance(*mouse_, place) > still) stop();
}

void Tour::go_on(const Sights& sights, Time now) {
    since_ = now;
    if (++stage_ <= sights.words) return;
    stage_ = 0;
    if (sights.all) ++rounds_;
}

Target Tour::target(const Sights& sights, Time now) {
    if (!on_) return {};
    if (sights.scene != scene_ || !since_) {
        scene_ = sights.scene;
        stage_ = 0;
        since_ = now;
    }
    const auto time = stage_ == 0 ? detection_time : sights.moves ? quick_word_time : word_time;
    const bool nothing = stage_ == 0 ? !sights.query : stage_ > sights.words;
    // Where there is nothing at all yet, it waits.
    if (now - *since_ >= time || (nothing && (stage_ > 0 || sights.words > 0))) go_on(sights, now);
    Target target;
    if (stage_ == 0)
        target.query = sights.query;
    else
        target.word = stage_ - 1;
    return target;
}

}  // namespace saccade
