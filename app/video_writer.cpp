#include "app/video_writer.h"

#include <unistd.h>

#include <system_error>

#include "gpu/error.h"

namespace saccade {

VideoWriter::VideoWriter(std::filesystem::path path, ImageSize size, double rate)
    : path_(std::move(path)), size_{size.width & ~1u, size.height & ~1u} {
    // OpenCV takes the container from the ending, so that must stay the last one.
    beside_ = path_.string() + ".part-" + std::to_string(::getpid()) + ".mp4";
    for (const char* codec : {"avc1", "mp4v"}) {
        const int code = cv::VideoWriter::fourcc(codec[0], codec[1], codec[2], codec[3]);
        if (writer_.open(beside_.string(), cv::CAP_FFMPEG, code, rate,
                         cv::Size(int(size_.width), int(size_.height))))
            return;
    }
    std::error_code ignored;
    std::filesystem::remove(beside_, ignored);
    throw Error("'" + path_.string() + "' cannot be written as an mp4 video of " +
                std::to_string(size_.width) + "x" + std::to_string(size_.height) +
                ": is there room, and may this folder be written to?");
}

VideoWriter::~VideoWriter() {
    if (!writer_.isOpened()) return;
    writer_.release();
    std::error_code ignored;
    std::filesystem::remove(beside_, ignored);
}

void VideoWriter::write(const PictureView& picture) {
    if (picture.width < size_.width || picture.height < size_.height || !picture.bgr)
        throw Error("a picture of another size or order was written to '" + path_.string() + "'");
    // OpenCV only reads it.
    writer_.write(cv::Mat(int(size_.height), int(size_.width), CV_8UC3,
                          const_cast<uint8_t*>(picture.pixels), picture.row_bytes));
    ++frames_;
}

void VideoWriter::finish() {
    if (!writer_.isOpened()) return;
    writer_.release();
    std::error_code failed;
    // An mp4 without frames is no video.
    if (frames_ > 0) std::filesystem::rename(beside_, path_, failed);
    std::error_code ignored;
    std::filesystem::remove(beside_, ignored);
    if (failed) throw Error("'" + path_.string() + "' cannot be written: " + failed.message());
}

}  // namespace saccade
