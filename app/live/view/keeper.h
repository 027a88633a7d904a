#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "app/live/live_thread.h"
#include "app/live/view/page_maker.h"
#include "app/video/recorder.h"

namespace saccade {

// Keeps what a person sees: the view as pictures and videos, maps for NumPy, pages of inspect.
class Keeper {
public:
    explicit Keeper(const std::filesystem::path& folder) : recorder_(folder, 30, "saccade-view") {}

    // Does what the state asks for that needs no picture of the view.
    void follow(LiveState& state, const LiveView& view);
    // Whether the view is to be read back, and the view then.
    bool wants_view(const LiveState& state) const;
    void take(const LiveState& state, const PictureView& view);
    // Something to be said for a while, if it is anything.
    void say(const std::string& what);
    // What there is to say now; empty most of the time.
    const std::string& notice();
    // There will be something to say when it is done.
    bool busy() const { return page_.busy(); }

private:
    using Clock = std::chrono::steady_clock;

    void save_maps(const AttentionSeen& seen);
    double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

    Recorder recorder_;
    PageMaker page_;
    uint32_t screenshots_ = 0, maps_ = 0;
    std::string bare_file_, notice_;
    Clock::time_point start_ = Clock::now(), said_{};
};

}  // namespace saccade
