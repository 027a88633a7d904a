#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "gpu/transfer/frame.h"

namespace saccade {

// Sends pictures to other programs: as a virtual camera (/dev/videoN of v4l2loopback), or as an
// MPEG transport stream to a URL that FFmpeg knows (udp://host:port), a pipe or a file. A thread of
// its own sends the newest picture, so that a slow receiver delays nothing.
class Feed {
public:
    explicit Feed(std::string target);
    ~Feed();
    Feed(const Feed&) = delete;
    Feed& operator=(const Feed&) = delete;

    void show(const PictureView& bgr);  // copied
    // Whether a picture has been sent.
    bool began() const { return began_; }
    // The error that ended it; returned once.
    std::optional<std::string> trouble();
    // Sends the last picture, if that does not take long, ends, and returns trouble().
    std::optional<std::string> end();

private:
    struct Pixels {
        std::vector<uint8_t> bytes;
        uint32_t width = 0, height = 0;
    };
    void run(std::stop_token stop);

    const std::string target_;
    std::mutex mutex_;
    std::condition_variable_any wake_;
    Pixels newest_;
    bool fresh_ = false, sending_ = false;
    std::atomic<bool> began_ = false;
    std::optional<std::string> trouble_;
    std::jthread thread_;
};

}  // namespace saccade
