#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "app/live/state/events.h"
#include "app/live/state/status.h"
#include "app/live/state/wishes.h"
#include "app/video/feed.h"
#include "app/video/recorder.h"

namespace saccade {

// Where annotated frames go besides the screen: pictures and videos in a folder, other programs,
// and the bare frame that a page of inspect or lecture is made of.
class FrameOutputs {
public:
    explicit FrameOutputs(std::filesystem::path folder) : recorder_(std::move(folder)) {}

    // Starts and stops what is wanted. True if the picture has to be drawn again for it.
    bool follow(const Wishes& wishes, Events& events, Status& status);
    // Whether the next frame has to come to the host.
    bool wants_pixels() const {
        return feed_ || recorder_.recording() || frames_due_ > 0 || wants_bare();
    }
    // The next frame is wanted without anything drawn onto it, for take_bare().
    bool wants_bare() const { return page_due_.has_value(); }
    bool recording() const { return recorder_.recording(); }

    void take(const PictureView& picture);
    void take_bare(const PictureView& picture, Status& status);
    // Sends the last frames to other programs and ends.
    void end_feed(Status& status);
    void report(Status& status);

private:
    using Clock = std::chrono::steady_clock;

    void follow_recording(const Wishes& wishes, Status& status);
    bool follow_feed(const Wishes& wishes, Status& status);
    void end_feed_by(const std::string& error, Status& status);
    void notify(std::string notice, Status& status);
    double seconds_now() const {
        return std::chrono::duration<double>(Clock::now() - start_).count();
    }

    Recorder recorder_;
    std::unique_ptr<Feed> feed_;
    std::string feed_target_;
    size_t frames_due_ = 0;  // pictures of the next frame to save
    std::optional<MakePage> page_due_;
    Clock::time_point start_ = Clock::now();
    std::optional<Clock::time_point> notice_time_;
};

}  // namespace saccade
