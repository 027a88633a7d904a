#pragma once

#include <filesystem>
#include <opencv2/videoio.hpp>

#include "gpu/frame.h"
#include "models/preprocessor.h"

namespace saccade {

// An mp4 file, H.264 where this machine can write it, else MPEG-4. It appears under its name when
// it is finished; until then, and where it never is, under that name there is what was there.
class VideoWriter {
public:
    // `rate` is in frames a second and need not be whole. Sides are rounded down to even numbers,
    // which is all that these formats know.
    VideoWriter(std::filesystem::path path, ImageSize size, double rate);
    ~VideoWriter();
    VideoWriter(const VideoWriter&) = delete;
    VideoWriter& operator=(const VideoWriter&) = delete;

    void write(const PictureView& picture);  // BGR
    void finish();

    uint64_t frames() const { return frames_; }
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_, beside_;
    ImageSize size_;
    cv::VideoWriter writer_;
    uint64_t frames_ = 0;
};

}  // namespace saccade
