#pragma once

#include <deque>
#include <filesystem>
#include <opencv2/videoio.hpp>

#include "app/sources/container.h"
#include "app/sources/source.h"

namespace saccade {

// Whether the file's ending is that of a video.
bool is_video_name(const std::filesystem::path& path);

// A video file, frame by frame, upright. Frames are counted by decoding them: what containers say
// of places and numbers of frames is not exact, so seeking decodes its way from the start, or from
// where it is.
class VideoFile : public Source {
public:
    VideoFile(const std::string& path, const SourceOptions& options);

    const SourceTraits& traits() const override { return traits_; }
    std::optional<FrameInfo> next(const GiveSlot& give) override;
    void seek(uint64_t index) override;

private:
    void open();
    bool grab_next();
    double next_time();
    double usual_step() const;  // seconds between two frames, by the container's account
    void check_end();

    SourceOptions options_;
    SourceTraits traits_;
    Container container_;
    cv::VideoCapture capture_;
    uint64_t next_ = 0;
    double time_ = 0;                               // of the frame before next_
    double step_ = 0;                               // to it from the frame before
    std::optional<std::deque<double>> last_times_;  // of frames that come without theirs
    bool ended_ = false;                            // nothing more can be decoded
    bool checked_ = false;
};

}  // namespace saccade
