#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "app/live_frames.h"
#include "app/live_state.h"
#include "app/model_slot.h"
#include "app/recorder.h"
#include "app/shader_watch.h"
#include "app/sources/capture.h"
#include "app/window/panels.h"

namespace saccade {

// The loop of `live`, without its window: makes true what the state says, one step at a time, and
// tells how it goes. Nothing here waits for a camera, a file or a model.
class LiveLoop {
public:
    LiveLoop(Engine& engine, const CaptureOptions& capture, std::filesystem::path folder);
    ~LiveLoop();

    // What can be done now is done. True where there is another picture to show.
    bool step(LiveState& state);
    // Until something new may have come, but not for long.
    void rest() const;
    // Until the models that the state wants are there; an Error where one of them, or a class that
    // is to be shown, cannot be had.
    void wait_for_models(const LiveState& state);

    // What is to be shown; null before the first frame.
    const Image* picture() const;
    // To be called when it has been shown: tells how old it was.
    void was_shown();

    // GPU time of a stage; also of one that is not the loop's own.
    void note_time(std::string_view stage, double ms);

    const LiveFrames& frames() const { return frames_; }
    const LiveReport& report() const { return report_; }
    bool over() const;  // a file has come to its end

private:
    using Clock = std::chrono::steady_clock;

    void follow_source(const LiveState& state);
    void follow_models(LiveState& state);
    bool follow_shaders();
    void advance(LiveState& state);
    void count_frame();
    void score_frame(const LiveState& state);
    double seconds_now() const {
        return std::chrono::duration<double>(Clock::now() - start_).count();
    }
    void take_picture(LiveState& state);
    void tell(const LiveState& state);
    LiveModels models() const;

    Engine& engine_;
    CaptureOptions capture_options_;
    // Captioners record on the thread that opens them, and need scratch memory that nobody else
    // takes from meanwhile.
    struct OwnCaptioner {
        std::unique_ptr<Arena> scratch;
        std::unique_ptr<Captioner> captioner;
    };
    ModelSlot<Detector> detector_;
    ModelSlot<Classifier> classifier_;
    ModelSlot<OwnCaptioner> captioner_;
    LiveFrames frames_;
    std::string source_;
    std::unique_ptr<Capture> capture_;
    std::string source_error_;
    std::optional<ShaderWatch> shaders_;
    Recorder recorder_;

    std::optional<LiveState> drawn_;  // what the picture on screen was drawn for
    bool again_ = false;
    uint64_t finished_ = 0;
    Clock::time_point start_ = Clock::now();
    std::optional<Clock::time_point> last_frame_, last_told_, notice_time_;
    Rolling frame_seconds_, frame_gpu_ms_;
    double gpu_ms_ = 0;                // since the last frame
    std::optional<LiveState> scored_;  // what the score was counted for
    LiveReport report_;
};

}  // namespace saccade
