#include "app/sources/video_file.h"

#include <unistd.h>

#include <cmath>

#include "app/sources/open_cv.h"
#include "gpu/error.h"

namespace saccade {

VideoFile::VideoFile(const std::string& path, const SourceOptions& options) : options_(options) {
    traits_.name = path;
    open();
    traits_.rate = rate_of(capture_);
    traits_.size = size_of(capture_);
    const double frames = capture_.get(cv::CAP_PROP_FRAME_COUNT);
    if (frames >= 1 && frames < 1e12) traits_.frames = static_cast<uint64_t>(frames);
}

void VideoFile::open() {
    if (::access(traits_.name.c_str(), R_OK) != 0)
        throw Error("'" + traits_.name + "' cannot be read: check its permissions");
    if (!open_video(capture_, traits_.name, cv::CAP_FFMPEG, options_))
        throw Error("'" + traits_.name +
                    "' is no video that can be read: it is damaged, cut short, or of an unknown "
                    "format");
    next_ = 0;
    time_ = 0;
}

bool VideoFile::grab_next() {
    if (!grab(capture_)) return false;
    // Frames that the decoder gives at the end may come without a time of their own.
    const double time = capture_.get(cv::CAP_PROP_POS_MSEC) / 1000;
    const double step = traits_.rate > 0 ? 1 / traits_.rate : 0.04;
    if (next_ == 0)
        time_ = 0;
    else
        time_ = std::isfinite(time) && time > time_ ? time : time_ + step;
    ++next_;
    return true;
}

std::optional<FrameInfo> VideoFile::next(const GiveSlot& give) {
    if (!grab_next()) return std::nullopt;
    FrameInfo info;
    info.source = traits_.name;
    info.index = next_ - 1;
    info.time = time_;
    info.size = retrieve(capture_, give);
    if (info.size == ImageSize{})
        throw Error("frame " + std::to_string(info.index) + " of '" + traits_.name +
                    "' cannot be decoded: the file is damaged");
    info.captured = std::chrono::steady_clock::now();
    return info;
}

void VideoFile::seek(uint64_t index) {
    if (index < next_) open();
    while (next_ < index && grab_next()) {
    }
}

}  // namespace saccade
