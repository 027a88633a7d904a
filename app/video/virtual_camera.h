#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "app/video/feed_frame.h"
#include "app/video/feed_target.h"

namespace saccade {

// The system calls for a Video4Linux device; tests replace them.
class VideoDevice {
public:
    virtual ~VideoDevice() = default;
    // As the system calls: -1 and errno on failure.
    virtual int open(const char* path) = 0;
    virtual int control(int file, unsigned long request, void* argument) = 0;
    virtual ssize_t write(int file, const void* bytes, size_t count) = 0;
    virtual void close(int file) = 0;

    static VideoDevice& of_system();
};

// A v4l2loopback device, which video calls and OBS see as a camera. The device decides on size and
// pixel format: while a program reads it, they cannot change.
class VirtualCamera : public FeedTarget {
public:
    VirtualCamera(const std::string& path, Size size,
                  VideoDevice& device = VideoDevice::of_system());
    ~VirtualCamera() override;
    VirtualCamera(const VirtualCamera&) = delete;
    VirtualCamera& operator=(const VirtualCamera&) = delete;

    bool write(const PictureView& bgr, double seconds) override;

private:
    struct Format {
        Size size;
        AVPixelFormat pixels;
        size_t row_bytes, bytes;
    };
    void require_output();
    Format agree(Size size);

    const std::string path_;
    VideoDevice& device_;
    struct File {
        VideoDevice& device;
        int number;
        ~File() {
            if (number >= 0) device.close(number);
        }
    } file_;
    Format format_;
    FeedFrame frame_;
    std::vector<uint8_t> bytes_;
};

}  // namespace saccade
