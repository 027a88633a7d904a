#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "app/live/live_models.h"
#include "app/live/order.h"
#include "app/live/report.h"
#include "app/live/shader_watch.h"
#include "app/live/state.h"
#include "app/live/told_words.h"
#include "app/pipeline/frame_path.h"
#include "app/sources/capture.h"
#include "app/track/frame_tracker.h"
#include "app/track/identity_score.h"
#include "app/video/feed.h"
#include "app/video/recorder.h"
#include "gpu/core/check.h"

namespace saccade {

// Whether the same boxes are asked for.
bool filters_the_same(const LiveState& a, const LiveState& b);

// How far a loop has come; another one can go on from there.
struct LivePlace {
    uint64_t frames = 0;  // that have been shown
    uint64_t next = 0;    // of the source
};

// The loop of `live`, without its window: makes true what the state says, one step at a time, and
// tells how it goes. Nothing here waits for a camera, a file or a model.
class LiveLoop {
public:
    LiveLoop(Engine& engine, const CaptureOptions& capture, std::filesystem::path folder,
             const LivePlace& from = {});

    LivePlace place() const;

    // Shows that many frames and not one more; 0: no end.
    void end_after(uint64_t frames) { most_frames_ = frames; }

    // What can be done now is done. True where there is another picture to show.
    bool step(LiveState& state);
    // Until something new may have come, but not for long.
    void rest() const;
    // Nothing will happen before the person wants something else: the picture stands still, or
    // there is none, and what was asked for is done.
    bool waits_for_person() const;
    // A camera or stream is gone, and will be tried again after a while.
    bool waits_for_source() const;
    // Until the models that the state wants are there; an Error where one of them, or a class that
    // is to be shown, cannot be had, or one cannot take the words that are meant for it. One that
    // has been told nothing yet is none if somebody may still do that.
    void wait_for_models(const LiveState& state, bool words_may_come = false);

    // What is sent to other programs ends here; report() says if it failed.
    void end_feed();

    // Sends pictures to this window from now on: shown()->window. It must outlive the loop.
    void show_in(PictureRing& window) { path_.show_in(window); }

    // To be called when it has been shown: tells how old it was.
    void was_shown();

    // GPU time of a stage; also of one that is not the loop's own.
    void note_time(std::string_view stage, double ms);

    // The frame that is on screen; nothing before the first.
    const std::optional<Done>& shown() const { return shown_; }
    // That are in use and know what to look for.
    Models models() const { return ToldWords::ready(models_.loaded()); }
    const CaptionWriter& captions() const { return path_.captions(); }
    ResultLabels labels() const { return path_.labels(); }
    bool idle() const { return path_.empty(); }  // no frame is on its way

    // A second frame keeps the device busy while the host sees to the first. If a frame takes the
    // device long, there is nothing to gain, and the second would be twice as old when it is shown.
    static constexpr double slow_ms = 250;
    static size_t most_in_flight(double frame_ms) { return frame_ms > slow_ms ? 1 : 2; }
    bool has_room() const;

    const LiveReport& report() const { return report_; }
    bool over() const;  // a file has come to its end, or its frames do not fit
    bool frames_fit() const { return !too_large_; }

private:
    using Clock = std::chrono::steady_clock;

    // When a model sees a frame: every n-th.
    class Turns {
    public:
        bool next(uint32_t stride) {
            if (++frames_ < stride) return false;
            frames_ = 0;
            return true;
        }

    private:
        uint32_t frames_ = 0;  // since the last
    };

    void follow_source(const LiveState& state);
    void follow_player(const LiveState& state);
    void follow_feed(const LiveState& state);
    void note_feed_trouble(const std::string& trouble);
    void follow_models(LiveState& state);
    void follow_words(LiveState& state);
    void follow_examples(LiveState& state);
    // Models, or what they look for, are others than before.
    void begin_anew(LiveState& state);
    void search_captions(LiveState& state);
    bool follow_shaders(LiveState& state);
    void advance(LiveState& state);
    void begin(TakenFrame frame, const LiveState& state);
    void repeat(const LiveState& state);
    // The old models, and the picture that is there, stay. Throws if there are none.
    void make_do_without(const OutOfMemory& error, Size frame);
    // Shows a frame that has come to the end of its path.
    // False if it is not shown.
    bool show(Done done, LiveState& state);
    // Waits until nothing is on its way.
    void settle(LiveState& state);
    void count_frame();
    void score_frame(const LiveState& state);
    void follow_tracking(LiveState& state);
    // What was clicked is followed, whichever query sees it next.
    void follow_track(const LiveState& state, const FrameResult& before);
    FrameOrder order_for(const LiveState& state, const LastSeen& seen);
    void tell_tracks();
    double seconds_now() const {
        return std::chrono::duration<double>(Clock::now() - start_).count();
    }
    void take_picture(const LiveState& state);
    bool wants_pixels(const LiveState& state) const {
        return feed_ || state.recording || wants_page(state) ||
               screenshots_ != state.screenshots;
    }
    // The frame is wanted without anything on it.
    bool wants_page(const LiveState& state) const { return pages_ && *pages_ != state.pages; }
    void write_bare_frame(const LiveState& state);
    LastSeen last_seen() const;
    void tell(const LiveState& state);
    void forgive_drops();
    void tell_labels();
    void tell_player(const CaptureStatus& status);

    Engine& engine_;
    CaptureOptions capture_options_;
    LiveModels models_;
    ToldWords told_;
    uint32_t last_example_ = 0;  // that somebody drew a box around
    FramePath path_;
    std::optional<FrameTracker> tracker_;
    IdentityScore identities_;
    Regions regions_;                         // that the tracker counts in
    uint32_t followed_ = 0;                   // the number of a track that was clicked, or 0
    std::optional<uint32_t> followed_query_;  // that it was clicked as
    std::optional<Done> shown_;
    std::optional<Size> too_large_;  // frames for which there is no memory
    std::optional<Size> fitted_;     // frames for which there was
    static constexpr uint32_t most_shortages = 10;
    uint32_t shortages_ = 0;           // one after the other
    Clock::time_point memory_again_;  // no frame before that
    Turns detector_turns_, classifier_turns_;
    std::string source_;
    uint64_t opened_ = 0;  // of those that were chosen, the last that was followed
    std::unique_ptr<Capture> capture_;
    std::string source_error_;
    std::optional<ShaderWatch> shaders_;
    Recorder recorder_;
    std::unique_ptr<Feed> feed_;
    std::string feed_target_;

    uint64_t seek_ = 0;                    // the number of the last that was followed
    bool awaiting_ = false;                // the frame that it asked for
    bool frozen_ = false;                  // when the state was last looked at
    size_t unseen_ = 0;                    // frames that were on their way when it was frozen
    uint64_t dropped_ = 0, forgiven_ = 0;  // frames; forgiven: while the picture was frozen
    std::optional<uint32_t> screenshots_;  // that have been taken
    std::optional<uint32_t> pages_;        // whose frames have been written

    std::optional<LiveState> drawn_;  // what the picture on screen was drawn for
    bool again_ = false;
    bool bare_ = false;  // the frame that is on its way shows nothing but itself
    uint64_t finished_ = 0;
    uint64_t most_frames_ = 0;  // 0: no end
    uint64_t begun_ = 0;        // the source's frame behind the one that began last
    Clock::time_point start_ = Clock::now();
    std::optional<Clock::time_point> last_frame_, last_told_, notice_time_;
    Rolling frame_seconds_, frame_gpu_ms_;
    double gpu_ms_ = 0;                // since the last frame
    std::optional<LiveState> scored_;  // what the score was counted for
    LiveReport report_;
};

}  // namespace saccade
