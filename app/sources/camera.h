#pragma once

#include <opencv2/videoio.hpp>

#include "app/frame/live_stamp.h"

namespace saccade {

// A camera, read by OpenCV. It is live: frames can be skipped but not read again, and their times
// are by the machine's clock. A camera that fails is opened again by open_source().
class Camera : public Source {
public:
    // `text` is its number or its device path.
    Camera(const std::string& text, const SourceOptions& options);

    const SourceTraits& traits() const override { return traits_; }
    std::optional<FrameInfo> next(const GiveSlot& give) override;
    void seek(uint64_t index) override;

private:
    void open(const std::string& device, const SourceOptions& options);
    bool grab();
    Size announced_size() const;
    Size retrieve(const GiveSlot& give);

    SourceTraits traits_;
    std::string what_;  // "camera 0"
    cv::VideoCapture capture_;
    LiveStamp stamp_;
};

}  // namespace saccade
