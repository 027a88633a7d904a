#pragma once

#include <opencv2/videoio.hpp>

#include "app/sources/source.h"

namespace saccade {

// A camera or a network stream. What it gives is the present: frames can be left out, not had
// again, and its time is ours. Where it fails, open_source() makes a new one.
class LiveVideo : public Source {
public:
    // `kind` is camera or stream.
    LiveVideo(const std::string& text, SourceKind kind, const SourceOptions& options);

    const SourceTraits& traits() const override { return traits_; }
    // Nothing where a stream was ended by the other side.
    std::optional<FrameInfo> next(const GiveSlot& give) override;
    void seek(uint64_t index) override;

private:
    void open_camera();
    void open_stream();

    SourceKind kind_;
    SourceOptions options_;
    SourceTraits traits_;
    cv::VideoCapture capture_;
    std::string what_;  // "camera 0", "the stream 'rtsp://...'"
    uint64_t next_ = 0;
    std::chrono::steady_clock::time_point first_;
    bool stalled_ = false;
};

}  // namespace saccade
