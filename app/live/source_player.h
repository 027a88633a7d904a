#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "app/live/state/events.h"
#include "app/live/state/status.h"
#include "app/live/state/wishes.h"
#include "app/sources/capture.h"

namespace saccade {

// Plays the wanted source: opens it, pauses and seeks, and hands out its newest frame.
class SourcePlayer {
public:
    SourcePlayer(FrameRing& ring, const CaptureOptions& options);

    const SourceName& source() const { return source_; }
    void close();
    // A source that cannot be opened is told by report(). Frames count from 0 again, but for the
    // first source, which begins where CaptureOptions says.
    void open(const SourceName& source);

    // Pace and pause. A picture has to be shown before the source can stand still.
    void play(bool stands, bool shows_picture, const Wishes& wishes);
    // To a frame, or some frames on from the last one that was sought, else from the shown one.
    void seek(const Seek& seek, uint64_t shown);
    // A frame that was sought has not been taken yet.
    bool seeking() const { return seeking_; }
    // The last frame that was taken had been sought.
    bool sought() const { return !seeking_ && sought_; }
    // Several pictures, which have time until the models have seen them.
    bool has_pictures() const;

    std::optional<TakenFrame> take();
    // The frame after the last one that was taken.
    uint64_t next_frame() const { return next_frame_; }
    bool wait_for(std::chrono::milliseconds time) const {
        return capture_ && capture_->wait_for(time);
    }

    // A camera or a stream, which cannot wait.
    bool is_live() const;
    bool is_open() const { return capture_ != nullptr; }
    bool failed() const { return !capture_ && !error_.empty(); }
    bool in_state(CaptureState state) const {
        return capture_ && capture_->status().state == state;
    }

    // Frames that were dropped since the last report were not wanted: the picture was frozen.
    void forgive_drops();
    void report(Status& status, const FrameInfo* shown);

private:
    FrameRing& ring_;
    CaptureOptions options_;
    SourceName source_;
    std::string error_;
    std::unique_ptr<Capture> capture_;
    bool seeking_ = false;
    std::optional<uint64_t> sought_;  // the last frame, until others are played
    uint64_t next_frame_ = 0;
    uint64_t dropped_ = 0, forgiven_ = 0;
};

}  // namespace saccade
