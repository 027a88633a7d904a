#pragma once

#include <memory>
#include <thread>

#include "app/frame/frame_ring.h"
#include "app/sources/scene_cuts.h"

namespace saccade {

struct CaptureOptions {
    SourceOptions source = {};
    bool loop = false;   // a file restarts at its end; a single picture stays
    bool stays = false;  // at a file's end, the capture waits for a seek instead of ending
    uint64_t first = 0;  // the frame at which a file starts
    // Exponential back-off before a camera or stream is opened again.
    std::chrono::milliseconds first_retry{500}, last_retry{8000};
};

// How a file is played; it has no effect on a camera or stream.
struct Playback {
    bool paused = false;
    double speed = 1;  // relative to the file's frame rate
    bool loop = false;
    bool operator==(const Playback&) const = default;
};

enum class CaptureState {
    connecting,  // no frame yet
    playing,
    lost,   // a camera or stream has failed, for `reason`; it is being opened again
    ended,  // a file has ended; by an error if there is a `reason`
};

struct CaptureStatus {
    CaptureState state = CaptureState::connecting;
    std::string reason;    // one line
    uint64_t frames = 0;   // read so far
    uint64_t dropped = 0;  // read but never taken, or skipped to keep pace
    bool seeking = false;  // the frame that was sought has not been read yet
    SourceTraits traits;   // empty until the source is open
};

// Plays a source live: a thread fills the slots of a ring, and the newest frame wins. Files are
// played at their frame rate, pictures of a folder as fast as they are taken; cameras and streams
// that fail are opened again until stop().
class Capture {
public:
    // An Error if a file cannot be opened; a camera or stream that cannot is CaptureState::lost.
    Capture(SourceName source, FrameRing& ring, const CaptureOptions& options = {});
    ~Capture() { stop(); }

    // The newest frame, if there is one since the last was taken.
    std::optional<TakenFrame> take();
    // Waits for a frame; false if none came in time, or the source has ended.
    bool wait_for(std::chrono::milliseconds time) { return ring_.wait_for(time); }
    CaptureStatus status() const;

    void play_as(const Playback& playback);
    // Makes this frame of a file the next that take() returns, also while paused; beyond the end it
    // returns none. A live source ignores it.
    void seek(uint64_t frame);

    // Waits until the thread has ended: soon, or when a read that hangs times out.
    void stop();

private:
    using Clock = std::chrono::steady_clock;

    void run(std::stop_token stop);
    void play(std::stop_token stop);
    bool deliver(std::stop_token stop);
    void wait_until_taken(std::stop_token stop);
    // Waits while paused or at the end, until the file plays or a seek is requested. False if a
    // stop is requested before.
    bool wait_until_wanted(std::stop_token stop);
    // Carries out a requested seek.
    void follow_seek();
    void continue_count(FrameInfo& info);
    void keep_pace(FrameInfo& info, std::stop_token stop);
    // Which scene a frame belongs to that lies in this slot.
    uint64_t scene_of(const Slot& frame);
    // Waits until a file's frame is due; the speed may change meanwhile.
    void wait_until_due(double time, std::stop_token stop);
    void set_state(CaptureState state, const std::string& reason = {});
    // False if a stop is requested before.
    bool sleep_until(Clock::time_point time, std::stop_token stop);

    const SourceName name_;
    const CaptureOptions options_;
    const bool live_;
    FrameRing& ring_;
    std::unique_ptr<Source> source_;
    std::chrono::milliseconds retry_;
    bool still_ = false;                      // the source is a single picture
    bool one_by_one_ = false;                 // it is several
    std::optional<Clock::time_point> start_;  // the wall time of the file's time 0
    uint64_t count_ = 0;                      // frames of a live source
    SceneCuts cuts_;
    uint64_t scene_ = 1;

    mutable std::mutex mutex_;
    std::condition_variable_any wake_;
    CaptureStatus status_;
    uint64_t left_out_ = 0;
    Playback playback_;
    uint64_t changes_ = 0;            // of the playback, including seeks
    std::optional<uint64_t> wanted_;  // the target of a requested seek
    bool seeking_ = false, at_end_ = false;
    bool taken_ = false;  // the last frame that was published

    std::jthread thread_;
};

}  // namespace saccade
