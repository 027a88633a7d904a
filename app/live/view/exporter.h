#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "app/live/state/session.h"
#include "app/live/view/page_maker.h"
#include "app/live/wall/live_thread.h"
#include "app/video/recorder.h"

namespace saccade {

// Saves what the window shows: the view as pictures and videos, maps for NumPy, pages of inspect
// and lecture.
class Exporter {
public:
    explicit Exporter(const std::filesystem::path& folder)
        : recorder_(folder, 30, "saccade-view") {}

    // Does what is wanted now, and takes the events for it. Ends a recording that cannot go on.
    void follow(Session& session, const LiveView& view);
    // Whether the view has to be read back, and the view then.
    bool wants_view() const { return screenshots_due_ > 0 || recorder_.recording(); }
    void take(const PictureView& view);
    // Shows a notice for a while; an empty one changes nothing.
    void notify(const std::string& notice);
    // The notice to show now; mostly empty.
    const std::string& notice();
    // A notice will come when a page is finished.
    bool busy() const { return page_.busy(); }

private:
    using Clock = std::chrono::steady_clock;

    void save_shown_maps(const LiveView& view);
    void save_maps(const AttentionSeen& maps);
    void start_page(const Session& session);
    double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

    Recorder recorder_;
    PageMaker page_;
    size_t screenshots_due_ = 0;
    std::string bare_file_;  // the frame of the last page
    std::string notice_;
    Clock::time_point start_ = Clock::now(), notice_time_{};
};

}  // namespace saccade
