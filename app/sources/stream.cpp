#include "app/sources/stream.h"

#include "gpu/core/error.h"

namespace saccade {

namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

NetworkStream::NetworkStream(const SourceName& url, const SourceOptions& options)
    : what_("the stream '" + url.text() + "'") {
    traits_.name = url;
    traits_.live = true;
    const auto begin = Clock::now();
    decoder_ = Decoder::of_stream(url.unmasked(), {options.open_timeout, options.read_timeout});
    if (!decoder_)
        throw Error(what_ +
                    (Clock::now() - begin >= options.open_timeout
                         ? " does not answer"
                         : " cannot be opened: the server refuses it, or its format is unknown"));
    traits_.size = decoder_->size();
    traits_.rate = decoder_->rate();
}

std::optional<FrameInfo> NetworkStream::next(const GiveSlot& give) {
    const bool decoded = decoder_->next();
    // After a timeout the decoder may still hold some frames.
    stalled_ = stalled_ || decoder_->timed_out();
    if (!decoded) {
        if (stalled_) throw Error(what_ + " has stalled");
        return std::nullopt;
    }
    FrameInfo info = stamp_.next(traits_.name);
    info.size = decoder_->write(give);
    if (info.size == Size{})
        throw Error("frame " + std::to_string(info.index) + " of " + what_ + " cannot be decoded");
    return info;
}

void NetworkStream::seek(uint64_t index) {
    if (index < stamp_.index())
        throw Error(what_ + " is live: it cannot go back to earlier frames");
    while (stamp_.index() < index && decoder_->next()) stamp_.leave_out();
}

}  // namespace saccade
