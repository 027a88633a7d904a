#include "app/sources/live_video.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "app/sources/open_cv.h"
#include "gpu/error.h"

namespace saccade {

namespace {

using Clock = std::chrono::steady_clock;

bool is_number(const std::string& text) {
    return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

LiveVideo::LiveVideo(const std::string& text, SourceKind kind, const SourceOptions& options)
    : kind_(kind), options_(options) {
    traits_.name = text;
    traits_.live = true;
    kind_ == SourceKind::camera ? open_camera() : open_stream();
    traits_.size = size_of(capture_);
    traits_.rate = rate_of(capture_);
}

void LiveVideo::open_camera() {
    const std::string& text = traits_.name;
    const std::string device = is_number(text) ? "/dev/video" + text : text;
    what_ = is_number(text) ? "camera " + text : "the camera '" + text + "'";
    std::error_code error;
    if (!std::filesystem::exists(device, error))
        throw Error("there is no " +
                    (is_number(text) ? what_ + " (" + device + ")" : "camera '" + text + "'"));
    if (::access(device.c_str(), R_OK | W_OK) != 0)
        throw Error(what_ + " may not be used by you: add yourself to the group that owns " +
                    device);
    if (!open_video(capture_, device, cv::CAP_V4L2, options_))
        throw Error(what_ + " cannot be opened: it is in use by another program, or is no camera");

    const std::string& format = options_.pixel_format;
    if (!format.empty() && format.size() != 4)
        throw Error("a pixel format has four letters, as MJPG or YUYV have, and not '" + format +
                    "'");
    if (!format.empty())
        capture_.set(cv::CAP_PROP_FOURCC,
                     cv::VideoWriter::fourcc(format[0], format[1], format[2], format[3]));
    if (options_.size) {
        capture_.set(cv::CAP_PROP_FRAME_WIDTH, options_.size->width);
        capture_.set(cv::CAP_PROP_FRAME_HEIGHT, options_.size->height);
    }
    if (options_.rate > 0) capture_.set(cv::CAP_PROP_FPS, options_.rate);
}

void LiveVideo::open_stream() {
    what_ = "the stream '" + traits_.name + "'";
    const auto begin = Clock::now();
    if (open_video(capture_, traits_.name, cv::CAP_FFMPEG, options_)) return;
    throw Error(what_ + (Clock::now() - begin >= options_.open_timeout
                             ? " does not answer"
                             : " cannot be opened: nobody serves it, or its format is unknown"));
}

std::optional<FrameInfo> LiveVideo::next(const GiveSlot& give) {
    const auto begin = Clock::now();
    const bool grabbed = grab(capture_);
    // After a timeout the decoder may still have some frames to give.
    stalled_ = stalled_ || Clock::now() - begin >= options_.read_timeout;
    if (!grabbed) {
        if (kind_ == SourceKind::camera) throw Error(what_ + " no longer gives frames");
        if (stalled_) throw Error(what_ + " has stalled");
        return std::nullopt;
    }
    FrameInfo info;
    info.source = traits_.name;
    info.captured = Clock::now();
    info.index = next_++;
    if (info.index == 0) first_ = info.captured;
    info.time = std::chrono::duration<double>(info.captured - first_).count();
    info.size = retrieve(capture_, give);
    if (info.size == ImageSize{})
        throw Error("frame " + std::to_string(info.index) + " of " + what_ + " cannot be decoded");
    return info;
}

void LiveVideo::seek(uint64_t index) {
    if (index < next_) throw Error(what_ + " is live: what is past is gone");
    while (next_ < index && grab(capture_)) ++next_;
}

}  // namespace saccade
