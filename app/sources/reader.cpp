#include "app/sources/reader.h"

namespace saccade {

namespace {

using Clock = std::chrono::steady_clock;

struct ReadingStopped {};  // thrown through a source that waits for a slot

}  // namespace

Reader::Reader(std::unique_ptr<Source> source, FrameRing& ring, const ReaderOptions& options)
    : source_(std::move(source)), traits_(source_->traits()), options_(options), ring_(ring) {
    ring_.open(RingPolicy::every_frame);
    thread_ = std::jthread([this](std::stop_token stop) { read(stop); });
}

void Reader::stop() {
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
}

void Reader::read(std::stop_token stop) try {
    uint64_t wanted = options_.first;
    while (wanted < options_.end && !stop.stop_requested()) {
        const auto begin = Clock::now();
        Clock::duration waited{};
        source_->seek(wanted);
        std::optional<size_t> slot;
        std::optional<FrameInfo> info = source_->next([&](const PixelLayout& layout) {
            const auto full = Clock::now();
            if (!slot) slot = ring_.begin(stop);
            if (!slot) throw ReadingStopped();
            const Slot memory = ring_.memory(*slot, layout);
            waited += Clock::now() - full;
            return memory;
        });
        if (!info) break;
        info->decode_ms =
            std::chrono::duration<double, std::milli>(Clock::now() - begin - waited).count();
        // An unreadable picture was skipped, and a later one was read instead.
        const bool in_step =
            info->index < options_.end && (info->index - options_.first) % options_.stride == 0;
        if (in_step)
            ring_.publish(*slot, *info);
        else
            ring_.abandon(*slot);
        wanted = info->index + options_.stride - (info->index - options_.first) % options_.stride;
    }
    ring_.close();
} catch (const ReadingStopped&) {
    ring_.close();
} catch (...) {
    ring_.close(std::current_exception());
}

}  // namespace saccade
