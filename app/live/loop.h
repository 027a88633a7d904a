#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/live/explaining.h"
#include "app/live/frame_stats.h"
#include "app/live/models/live_models.h"
#include "app/live/models/prompts.h"
#include "app/live/order.h"
#include "app/live/outputs.h"
#include "app/live/shader_watch.h"
#include "app/live/source_player.h"
#include "app/live/state/events.h"
#include "app/live/state/status.h"
#include "app/live/state/wishes.h"
#include "app/live/tracking.h"
#include "app/pipeline/paths_together.h"
#include "gpu/core/check.h"

namespace saccade {

// How far a loop has come; another one can go on from there.
struct LivePlace {
    uint64_t frames = 0;  // that have been shown
    uint64_t next = 0;    // of the source
};

// The loop of `live`, without its window: makes wishes come true, one step at a time, and tells its
// status. No call but wait_for_models() and rest() waits for a camera, a file or a model.
class LiveLoop {
public:
    LiveLoop(Engine& engine, const CaptureOptions& capture, std::filesystem::path folder,
             const LivePlace& from = {});
    // For one more source, which the models of `first` look at. That one follows wishes for models
    // and prompts, and must outlive this.
    LiveLoop(LiveLoop& first, const CaptureOptions& capture, std::filesystem::path folder,
             const LivePlace& from = {});
    ~LiveLoop();

    LivePlace place() const { return {status_.frames, player_.next_frame()}; }

    // Shows frames that were sought before models look at them, where that takes longer than this.
    void show_sought_after(double ms) { quick_ms_ = ms; }

    // Does what can be done now, and takes the events that are for the loop. True if there is a new
    // picture to show.
    bool step(const Wishes& wishes, const Pointer& pointer, Events& events);
    // The same in parts, for several loops: what is wanted is followed; the next frame, if there is
    // one, is given away to begin with those of others; and what has come to its end is shown.
    void follow(const Wishes& wishes, const Pointer& pointer, Events& events);
    std::optional<PathsTogether::Beginning> offer(const Wishes& wishes, const Pointer& pointer);
    void has_begun(const Wishes& wishes, const Pointer& pointer);
    bool collect(const Wishes& wishes, const Pointer& pointer);
    // There was no memory for the frame that was offered. Goes on with the models and the picture
    // from before. Throws if there are none.
    void recover(const OutOfMemory& error, Size frame);
    // The loops of one wall are seen by one set of models.
    PathsTogether& together() { return shared_.together; }
    // Captions are of one source of a wall: of the first, or of the one that has asked last.
    void take_captions();
    // Sleeps until there may be something to do, but not for long.
    void rest() const;
    // Whether nothing will happen before a wish or the pointer changes: the picture stands still,
    // or there is none, and everything is done.
    bool waits_for_person() const;
    // Whether a camera or stream is gone and will be tried again.
    bool waits_for_source() const;
    // Waits until the wanted models are loaded. An Error if one of them, or a class that is to be
    // shown, does not exist, or if one cannot take its prompt. A model that needs a prompt and has
    // none yet counts as absent while a prompt may still arrive.
    void wait_for_models(const Wishes& wishes, bool prompts_may_come = false);

    // Ends the stream to other programs; status() says if it failed.
    void end_feed() { outputs_.end_feed(status_); }

    // Sends pictures to this window from now on: shown()->window. It must outlive the loop.
    void show_in(PictureRing& window) { path_.show_in(window); }

    // Calls this for every frame that is shown, also for those that follow each other in one step.
    void on_shown(std::function<void()> call) { on_shown_ = std::move(call); }

    // Measures the age of the picture: to be called when it is on screen.
    void was_shown();
    // Adds the GPU time of a stage outside the loop.
    void add_time(std::string_view stage, double ms) { stats_.add_time(stage, ms, status_); }

    // The frame that is on screen; none before the first.
    const std::optional<Done>& shown() const { return shown_; }
    // The models in use that have the prompts they need.
    Models models() const;
    const CaptionWriter& captions() const { return path_.captions(); }
    bool idle() const { return path_.empty(); }  // no frame is in flight
    size_t in_flight() const { return path_.in_flight(); }
    // Whether new models or prompts wait until no other source has a frame in flight. They would
    // drop such frames, and a picture's only frame would never be shown.
    bool holds_back() const { return holds_back_; }

    // Two frames in flight keep the device busy while the host works. Where a frame takes the
    // device long there is nothing to gain, and the second would be twice as old when it is shown.
    static constexpr double slow_ms = 250;
    static size_t most_in_flight(double frame_ms) { return frame_ms > slow_ms ? 1 : 2; }
    bool has_room() const;
    // Whether a new frame of a moving picture waits for one that is still in flight.
    bool queues() const;
    // What the newest frame took in all stages.
    double frame_ms() const;

    const Status& status() const { return status_; }
    bool over() const;  // a file has ended, or its frames do not fit into memory
    bool frames_fit() const { return !too_large_; }

private:
    using Clock = std::chrono::steady_clock;

    // What the loops of a wall have in common.
    struct Shared {
        explicit Shared(Engine& engine) : models(engine), prompts(engine), together(engine) {}
        LiveModels models;
        Prompts prompts;
        PathsTogether together;
        std::vector<LiveLoop*> loops = {};  // the first one follows wishes for models
        LiveLoop* captioned = nullptr;
    };
    LiveLoop(Engine& engine, std::unique_ptr<Shared> own, Shared* shared,
             const CaptureOptions& capture, std::filesystem::path folder, const LivePlace& from);
    bool is_first() const { return shared_.loops.front() == this; }
    bool may_leave_models();

    // What a step is for.
    struct Wanted {
        const Wishes& wishes;
        const Pointer& pointer;
    };

    // Counts frames for a model that runs on every n-th.
    class Stride {
    public:
        bool next(uint32_t n) {
            if (++frames_ < n) return false;
            frames_ = 0;
            return true;
        }

    private:
        uint32_t frames_ = 0;  // since the last run
    };

    // Each makes one part of the wishes come true.
    void follow_source(const Wanted& wanted, Events& events);
    void follow_freeze(const Wanted& wanted);
    void follow_models(const Wanted& wanted);
    void follow_examples(const Wanted& wanted);
    void follow_prompts(const Wanted& wanted);
    void follow_tracking(const Wanted& wanted);
    void follow_shaders(const Wanted& wanted);
    void follow_caption_search(const Wanted& wanted);
    void follow_heads(const Wanted& wanted);
    void explain(const Wanted& wanted);
    void report_choices(const Wanted& wanted);
    void report(const Wanted& wanted);
    void report_labels();
    void report_work(const Wanted& wanted);
    void log_status(const Wanted& wanted) const;
    // All loops let go of the models, to use others or the same with other prompts.
    void leave_models(const Wanted& wanted);
    void use_models();
    // Runs these models from now on; before others are unloaded, none.
    void use(const Models& models);
    // Models or their prompts have changed.
    void restart_results();

    std::optional<TakenFrame> next_frame(const Wanted& wanted);
    // Whether everything is known of the picture that is shown.
    bool complete() const;
    // Whether it stands still until a person wants another one.
    bool stands(const Wanted& wanted) const;
    // Whether a picture of a folder has been complete for its time.
    bool seen_enough(const Wanted& wanted) const;
    FrameOrder order_next(const FrameInfo& frame, const Wanted& wanted);
    bool repeat_shown(const Wanted& wanted);
    void repeat(const Wanted& wanted);
    // Shows a frame at the end of its path. False if it came after the picture was frozen.
    bool show(Done done, const Wanted& wanted);
    // Waits for all frames in flight.
    void settle(const Wanted& wanted);

    FrameOrder order_for(const Wanted& wanted, const LastResult& last);
    // Without words, queries and phrases of models that are gone.
    Target target_of(const Wanted& wanted) const;
    LastResult last_result() const;
    // What the models in use have found; null until they have seen a picture.
    const FrameResult* known() const;

    Engine& engine_;
    Status status_;
    std::unique_ptr<Shared> own_;  // of the first loop
    Shared& shared_;
    LiveModels& models_;
    Prompts& prompts_;
    uint32_t last_example_ = 0;  // the number of the last box that became an example
    FramePath path_;
    LiveExplaining explaining_;  // after the path, whose frames it looks at
    HeadsOff heads_off_;
    bool explains_ = false;  // there is more to do, or to draw
    bool holds_back_ = false;
    SourcePlayer player_;
    LiveTracking tracking_;
    FrameOutputs outputs_;
    FrameStats stats_;
    std::optional<ShaderWatch> shaders_;
    Stride detector_stride_, classifier_stride_;

    // Where models take longer, a frame that was sought is shown before they look at it.
    double quick_ms_ = 100;
    double look_ms_ = 0;                         // that a frame took last time models looked at it
    std::optional<Clock::time_point> complete_;  // since when the picture has been complete
    std::optional<Clock::time_point> working_;   // since when a picture has been worked on
    Target aimed_at_;                            // in the last step
    size_t answers_after_ = 0;  // frames that come before one that shows what is pointed at

    std::function<void()> on_shown_;
    std::optional<Done> shown_;
    uint64_t shown_by_ = 0;              // the version of the models that have seen it
    std::optional<DrawnFor> drawn_for_;  // of the picture on screen, or on its way there
    bool again_ = false;                 // it has to be drawn again
    bool begun_ = false;                 // the first picture was shown with its models
    bool bare_ = false;                  // the frame in flight is drawn without anything on it
    bool frozen_ = false;                // in the last step
    size_t unseen_ = 0;                  // frames that were in flight when the picture was frozen

    std::optional<Size> too_large_;  // frames for which there is no memory
    std::optional<Size> fitted_;     // frames for which there was
    static constexpr uint32_t most_shortages = 10;
    uint32_t shortages_ = 0;          // in a row
    Clock::time_point memory_again_;  // no frame before that
    std::optional<Clock::time_point> last_log_;
    Clock::time_point last_report_{};
};

}  // namespace saccade
