#include "app/sources/video_file.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/sources/container.h"
#include "gpu/core/error.h"

namespace saccade {

VideoFile::VideoFile(const std::filesystem::path& path) : VideoFile(path, 0) {}

SourceTraits VideoFile::traits_of(const std::filesystem::path& path) {
    return VideoFile(path, 1).traits_;
}

VideoFile::VideoFile(const std::filesystem::path& path, int threads)
    : path_(path), threads_(threads) {
    traits_.name = path;
    open();
    traits_.rate = decoder_->rate();
    traits_.size = decoder_->size();
    traits_.frames = decoder_->pictures();
    traits_.rotated = decoder_->quarter_turns() % 2 == 1;
}

void VideoFile::open() {
    if (::access(path_.c_str(), F_OK) != 0)
        throw Error("the file '" + path_.string() + "' is gone: it was moved or deleted");
    if (::access(path_.c_str(), R_OK) != 0)
        throw Error("'" + path_.string() + "' cannot be read: check its permissions");
    decoder_ = Decoder::of_file(path_, threads_);
    if (!decoder_)
        throw Error("'" + path_.string() +
                    "' is no video that can be read: it is damaged, cut short, or of an unknown "
                    "format");
    next_ = 0;
    time_ = step_ = 0;
    checked_ = false;
}

bool VideoFile::decode_next() {
    if (!decoder_->next()) return false;
    const double time = next_ == 0 ? 0 : next_time();
    step_ = next_ == 0 ? usual_step() : time - time_;
    time_ = time;
    ++next_;
    return true;
}

double VideoFile::usual_step() const { return traits_.rate > 0 ? 1 / traits_.rate : 0.04; }

double VideoFile::next_time() const {
    if (const std::optional<double> time = decoder_->time(); time && *time > time_) return *time;
    // Some containers round timestamps to milliseconds; the errors must not add up.
    return time_ + (std::abs(step_ - usual_step()) < 0.0015 ? usual_step() : step_);
}

// The decoder ends silently at damaged data. The container's frame count cannot tell: it includes
// frames that are not shown, or is an estimate.
void VideoFile::check_end() {
    if (std::exchange(checked_, true)) return;
    const std::string frame = "frame " + std::to_string(next_);
    if (is_cut_short(path_))
        throw Error("'" + path_.string() + "' is cut short: it should go on with " + frame);
    if (time_ + std::max(4 * step_, 0.25) < decoder_->last_time())
        throw Error("'" + path_.string() + "' is damaged: " + frame + " cannot be decoded");
}

std::optional<FrameInfo> VideoFile::next(const GiveSlot& give) {
    if (!decode_next()) {
        check_end();
        return std::nullopt;
    }
    FrameInfo info;
    info.source = traits_.name;
    info.index = next_ - 1;
    info.time = time_;
    info.size = decoder_->write(give);
    if (info.size == Size{})
        throw Error("frame " + std::to_string(info.index) + " of '" + path_.string() +
                    "' cannot be decoded: the file is damaged");
    info.captured = std::chrono::steady_clock::now();
    return info;
}

void VideoFile::seek(uint64_t index) {
    if (index < next_) open();
    while (next_ < index && decode_next()) {
    }
}

}  // namespace saccade
