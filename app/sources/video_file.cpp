#include "app/sources/video_file.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "app/sources/files.h"
#include "app/sources/open_cv.h"
#include "app/video/frame_times.h"
#include "gpu/error.h"

namespace saccade {

bool is_video_name(const std::filesystem::path& path) {
    constexpr std::array<std::string_view, 16> endings{
        ".mp4", ".m4v", ".mov",  ".mkv", ".webm", ".avi", ".mpg", ".mpeg",
        ".ts",  ".mts", ".m2ts", ".wmv", ".flv",  ".ogv", ".3gp", ".mjpeg"};
    return has_ending(path, endings);
}

VideoFile::VideoFile(const std::string& path, const SourceOptions& options) : options_(options) {
    traits_.name = path;
    open();
    container_ = read_container(path);
    traits_.rate = rate_of(capture_);
    traits_.size = size_of(capture_);
    if (container_.quarter_turns % 2 == 1) std::swap(traits_.size->width, traits_.size->height);
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
    time_ = step_ = 0;
    ended_ = checked_ = false;
    last_times_.reset();
}

bool VideoFile::grab_next() {
    if (ended_ || !grab(capture_)) {
        ended_ = true;
        return false;
    }
    if (next_ == 0) {
        time_ = 0;
        step_ = usual_step();
    } else {
        const double time = next_time();
        step_ = time - time_;
        time_ = time;
    }
    ++next_;
    return true;
}

double VideoFile::usual_step() const { return traits_.rate > 0 ? 1 / traits_.rate : 0.04; }

double VideoFile::next_time() {
    const double time = capture_.get(cv::CAP_PROP_POS_MSEC) / 1000;
    if (time > time_) return time;
    // The last frames out of the decoder come without their time.
    if (!last_times_) {
        const std::vector<double> times = frame_times_after(traits_.name, time_);
        last_times_.emplace(times.begin(), times.end());
    }
    if (!last_times_->empty()) {
        const double next = last_times_->front();
        last_times_->pop_front();
        return next;
    }
    // Some containers round times to milliseconds; that is not to add up.
    return time_ + (std::abs(step_ - usual_step()) < 0.0015 ? usual_step() : step_);
}

// The decoder stops without a word where it cannot go on. The container's count of frames does not
// tell: it has those that are not to be shown, or is a guess.
void VideoFile::check_end() {
    if (std::exchange(checked_, true)) return;
    const std::string frame = "frame " + std::to_string(next_);
    if (container_.cut_short)
        throw Error("'" + traits_.name + "' is cut short: it should go on with " + frame);
    if (container_.seconds && time_ + std::max(4 * step_, 0.25) < *container_.seconds)
        throw Error("'" + traits_.name + "' is damaged: " + frame + " cannot be decoded");
}

std::optional<FrameInfo> VideoFile::next(const GiveSlot& give) {
    if (!grab_next()) {
        check_end();
        return std::nullopt;
    }
    FrameInfo info;
    info.source = traits_.name;
    info.index = next_ - 1;
    info.time = time_;
    info.size = retrieve(capture_, give, container_.quarter_turns);
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
