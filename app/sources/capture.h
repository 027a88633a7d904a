#pragma once

#include <memory>
#include <thread>

#include "app/frame/frame_ring.h"

namespace saccade {

struct CaptureOptions {
    SourceOptions source = {};
    bool loop = false;   // a file begins again at its end; a single picture stays
    bool stays = false;  // at a file's end it waits for who wants another frame of it
    uint64_t first = 0;  // the frame of a file to begin with
    // How long to wait before a camera or stream is tried again: twice as long each time.
    std::chrono::milliseconds first_retry{500}, last_retry{8000};
};

// How a file is played; a camera or a stream goes on as it does.
struct Playback {
    bool paused = false;
    double speed = 1;  // of its own pace
    bool loop = false;
    bool operator==(const Playback&) const = default;
};

enum class CaptureState {
    connecting,  // no frame yet
    playing,
    lost,   // a camera or stream is gone, for `reason`; it is being tried again
    ended,  // a file is over, because of an error where there is a reason
};

struct CaptureStatus {
    CaptureState state = CaptureState::connecting;
    std::string reason;    // one line for people
    uint64_t frames = 0;   // that came
    uint64_t dropped = 0;  // of those that came, and of those left out to keep pace
    SourceTraits traits;   // empty until it has been opened
};

// Plays a source for somebody who wants the present: a thread fills the slots of a ring, and the
// newest frame wins. Files are played at their own pace; cameras and streams that fail are tried
// again until stop().
class Capture {
public:
    // A file that cannot be opened is an Error here; a camera or stream that cannot is a state.
    Capture(std::string source, FrameRing& ring, const CaptureOptions& options = {});
    ~Capture() { stop(); }

    // The newest frame, if one has come since the last was taken.
    std::optional<TakenFrame> take();
    // Waits for one; false when none has come in time, or none will.
    bool wait_for(std::chrono::milliseconds time) { return ring_.wait_for(time); }
    CaptureStatus status() const;

    void play_as(const Playback& playback);
    // This frame of a file is the next that is taken, whether or not it is paused; beyond the end,
    // none. Of a live source nothing happens.
    void seek(uint64_t frame);

    // Returns when the thread has ended: at once, or when a read that hangs reaches its timeout.
    void stop();

private:
    using Clock = std::chrono::steady_clock;

    void run(std::stop_token stop);
    void play(std::stop_token stop);
    bool deliver(std::stop_token stop);
    // Until the file is to go on: because it plays, or another frame of it is wanted. False when it
    // is to stop before then.
    bool wait_until_wanted(std::stop_token stop);
    // Makes the frame that was asked for the next one.
    void follow_seek();
    void continue_count(FrameInfo& info);
    void keep_pace(FrameInfo& info, std::stop_token stop);
    // Until a file's frame is due, at the pace that is wanted meanwhile.
    void wait_until_due(double time, std::stop_token stop);
    void set_state(CaptureState state, const std::string& reason = {});
    // False when it is to stop before then.
    bool sleep_until(Clock::time_point time, std::stop_token stop);

    const std::string name_;
    const CaptureOptions options_;
    const bool live_;
    FrameRing& ring_;
    std::unique_ptr<Source> source_;
    std::chrono::milliseconds retry_;
    bool still_ = false;                      // there is one picture, which stays
    std::optional<Clock::time_point> start_;  // when time 0 was, or would have been
    uint64_t count_ = 0;                      // frames of a live source

    mutable std::mutex mutex_;
    std::condition_variable_any wake_;
    CaptureStatus status_;
    uint64_t left_out_ = 0;
    Playback playback_;
    uint64_t changes_ = 0;            // of the playback, and seeks
    std::optional<uint64_t> wanted_;  // the frame that was asked for
    bool seeking_ = false, at_end_ = false;

    std::jthread thread_;
};

}  // namespace saccade
